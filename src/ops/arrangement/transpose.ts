/** @file transpose */
import { ShapeError } from '../../core/errors.ts';
import { describe, formatShape, normalizeAxis, type Shape } from '../../core/shape.ts';
import { view } from '../../kernels/launch/output.ts';
import { transposeKernel } from '../../kernels/copies/transpose.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { noFlops } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';

export interface TransposeOptions {
  /** Axis i of the result is axis perm[i] of x. Default: all axes in reverse. */
  perm?: readonly number[] | null;
}

/**
 * `x` with its axes in another order. Any dtype. The gradient goes through the inverse permutation.
 * Errors: ShapeError unless `perm` is a permutation of the axes.
 */
export const transpose: Op<[x: Tensor], TransposeOptions, Tensor, 'first', ['perm']> =
  /* @__PURE__ */ defineOp({
    name: 'transpose',
    inputs: ['x'],
    options: { perm: true },
    save: { inputs: [] },
    infer: ([{ shape, dtype }], options) => {
      const perm = permutation(shape, options);
      return { shape: perm.map((axis) => shape[axis] as number), dtype, perm };
    },
    forward: ([x], plan) => {
      // Values needn't move if axes longer than 1 keep their order.
      const long = plan.perm.filter((axis) => x.shape[axis] !== 1);
      const stays = long.every((axis, i) => i === 0 || axis > (long[i - 1] as number));
      return stays ? view(x, plan, 'transpose') : transposeKernel(x, plan.perm, plan);
    },
    backward: ([dy], { plan: { perm } }) => [
      transpose(dy, { perm: perm.map((_, axis) => perm.indexOf(axis)) }),
    ],
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
