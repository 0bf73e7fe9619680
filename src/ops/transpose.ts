/** @file transpose */
import { ShapeError } from '../core/errors.ts';
import { describe, formatShape, normalizeAxis, type Shape } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { view } from '../kernels/output.ts';
import { transposeKernel } from '../kernels/transpose.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { noFlops } from './cost.ts';
import { defineOp, type Op } from './define.ts';

export interface TransposeOptions {
  /** Axis i of the result is axis perm[i] of x. Default: all axes in reverse. */
  perm?: readonly number[] | null;
}

/**
 * `x` with its axes in another order. Any dtype. The gradient goes through the inverse permutation.
 * Errors: ShapeError where `perm` isn't a permutation of the axes.
 */
export const transpose: Op<[x: Tensor], TransposeOptions, Tensor> = /* @__PURE__ */ defineOp<
  [x: Tensor],
  TransposeOptions
>({
  name: 'transpose',
  inputs: ['x'],
  infer: ([x], options) => {
    const { shape, dtype } = x as TensorSpec;
    return { shape: permutation(shape, options).map((axis) => shape[axis] as number), dtype };
  },
  forward: ([input], options, { outputs: [output] }) => {
    const [x, spec] = [input as Tensor, output as TensorSpec];
    const perm = permutation(x.shape, options);
    // Values stay where they are, as long as axes longer than 1 keep their order.
    const long = perm.filter((axis) => x.shape[axis] !== 1);
    const stays = long.every((axis, i) => i === 0 || axis > (long[i - 1] as number));
    return stays ? view(x, spec, 'transpose') : transposeKernel(x, perm, spec);
  },
  backward: ([dy], { inputSpecs: [x] }, options) => {
    const perm = permutation((x as TensorSpec).shape, options);
    return [transpose(dy as Tensor, { perm: perm.map((_, axis) => perm.indexOf(axis)) })];
  },
  save: { inputs: [] },
  cost: noFlops,
});

function permutation(shape: Shape, { perm }: TransposeOptions): number[] {
  const rank = shape.length;
  if (perm === undefined || perm === null) return shape.map((_, i) => rank - 1 - i);
  if (Array.isArray(perm) && perm.length === rank) {
    const axes = perm.map((axis) => normalizeAxis('transpose', axis, rank, 'perm'));
    if (new Set(axes).size === rank) return axes;
  }
  throw new ShapeError({
    op: 'transpose',
    rule: '`perm` must name each axis of `x` once.',
    received: `perm: ${describe(perm)} for shape ${formatShape(shape)}`,
    hint: `pass a permutation of 0 to ${rank - 1}, or leave it out to reverse the axes.`,
  });
}
