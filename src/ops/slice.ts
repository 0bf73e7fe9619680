/** @file slice */
import { ShapeError } from '../core/errors.ts';
import { describe, formatShape, sameShape, type Shape, stridesOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { copied } from '../kernels/copy.ts';
import { view } from '../kernels/output.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { noFlops } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import { pad } from './pad.ts';

export interface SliceOptions {
  /** The first element on each axis; axes that are left out at the end are taken whole. */
  begin: number | readonly number[];
  /** How many elements on each axis; -1, or left out: the rest. */
  size?: number | readonly number[];
}

/**
 * A block of `x`: `size` elements from `begin` on, on each axis. Any dtype.
 * Errors: ShapeError where the block leaves x.
 */
export const slice: Op<[x: Tensor], SliceOptions, Tensor> = /* @__PURE__ */ defineOp<
  [x: Tensor],
  SliceOptions
>({
  name: 'slice',
  inputs: ['x'],
  infer: ([x], options) => {
    const { shape, dtype } = x as TensorSpec;
    return { shape: block(shape, options).size, dtype };
  },
  forward: ([input], options, { outputs: [spec] }) => {
    const x = input as Tensor;
    const { begin, size } = block(x.shape, options);
    if (sameShape(size, x.shape)) return view(x, x, 'slice');
    return copied('slice', x, blockWalk(x.shape, begin), spec as TensorSpec);
  },
  backward: ([dy], { inputSpecs: [x] }, options) => {
    const { shape } = x as TensorSpec;
    const { begin, size } = block(shape, options);
    const paddings = shape.map((n, i) => {
      const before = begin[i] as number;
      return [before, n - before - (size[i] as number)] as const;
    });
    return [pad(dy as Tensor, { paddings })];
  },
  save: { inputs: [] },
  cost: noFlops,
});

/** The walk of a block of a tensor of `shape` that begins at `begin`. */
export function blockWalk(shape: Shape, begin: readonly number[]) {
  const strides = stridesOf(shape);
  const offset = begin.reduce((sum, first, i) => sum + first * (strides[i] as number), 0);
  return { offset, strides };
}

function block(shape: Shape, options: SliceOptions): { begin: number[]; size: number[] } {
  const begin = listOf('begin', options.begin, shape);
  const size = options.size === undefined ? [] : listOf('size', options.size, shape);
  const from = shape.map((_, i) => begin[i] ?? 0);
  const count = shape.map((n, i) => {
    const given = size[i] ?? -1;
    return given === -1 ? n - (from[i] as number) : given;
  });
  const fits = shape.every((n, i) => {
    const [first, length] = [from[i] as number, count[i] as number];
    return first >= 0 && length >= 0 && first + length <= n;
  });
  if (fits) return { begin: from, size: count };
  throw new ShapeError({
    op: 'slice',
    rule: 'a slice must lie within `x`.',
    received: `begin ${formatShape(from)} and size ${describe(options.size ?? -1)} for shape ${formatShape(shape)}`,
    hint: 'lower begin or size; size -1 takes the rest of an axis.',
  });
}

function listOf(what: string, value: unknown, shape: Shape): number[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.every(Number.isInteger) && list.length <= shape.length) return list as number[];
  throw new ShapeError({
    op: 'slice',
    rule: `\`${what}\` is a list of integers, one for each axis.`,
    received: `${what}: ${describe(value)} for shape ${formatShape(shape)}`,
    hint: 'pass as many whole numbers as x has axes, or fewer.',
  });
}
