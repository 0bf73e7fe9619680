/**
 * @file slice and placeSlices. Each is the gradient of the other, so they share a file.
 */
import { ShapeError } from '../../core/errors.ts';
import { describe, formatShape, sameShape, type Shape, stridesOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { copied, type StridedLayout } from '../../kernels/copies/copy.ts';
import { placeSlicesKernel } from '../../kernels/copies/placeSlices.ts';
import { view } from '../../kernels/launch/output.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { noFlops } from '../define/cost.ts';
import { defineOp, maxOperands, type Op } from '../define/define.ts';
import { add } from '../elementwise/arithmetic.ts';
import { type JoinedCall, outputsOf } from '../define/definition.ts';
import { reshape } from './reshape.ts';

export interface SliceOptions {
  /** The first element on each axis; trailing axes that are omitted are taken whole. */
  begin: number | readonly number[];
  /** How many elements on each axis; if -1 or omitted, the rest. */
  size?: number | readonly number[];
}

/**
 * A block of `x`: `size` elements from `begin` on, on each axis. Any dtype.
 * Errors: ShapeError if the block extends beyond x.
 */
export const slice: Op<[x: Tensor], SliceOptions, Tensor, 'first', ['begin', 'size']> =
  /* @__PURE__ */ defineOp({
    name: 'slice',
    inputs: ['x'],
    options: { begin: true, size: true },
    save: { inputs: [] },
    infer: ([{ shape, dtype }], options) => {
      const { begin, size } = block(shape, options);
      return { shape: size, dtype, begin };
    },
    forward: ([x], plan) =>
      sameShape(plan.shape, x.shape)
        ? view(x, plan, 'slice')
        : copied('slice', x, blockLayout(x.shape, plan.begin), plan),
    backward: (cotangents, { inputSpecs: [x], plan }) => [placeParts([{ cotangents, plan }], x)],
    joinedBackward: placeParts,
    cost: noFlops,
  });

interface PlaceSlicesOptions {
  /** Shape of the result. */
  shape: Shape;
  /** Where each slice is placed: its first element, on each axis. */
  begins: readonly (readonly number[])[];
}

/** Zeros of `shape`, to which each of `slices`, float32, is added where it begins: the gradient of slices of one tensor. */
export const placeSlices: Op<[slices: Tensor[]], PlaceSlicesOptions> = /* @__PURE__ */ defineOp({
  name: 'placeSlices',
  inputs: ['...slices'],
  options: { shape: false, begins: false },
  save: { inputs: [] },
  infer: (_, { shape }) => ({ shape, dtype: 'float32' }),
  forward: (slices, plan, { options: { begins } }) => {
    const [first] = slices;
    if (first && slices.length === 1 && sameShape(first.shape, plan.shape))
      return view(first, plan, 'placeSlices');
    const placed = slices.map((values, i) => ({ values, begin: begins[i] as readonly number[] }));
    return placeSlicesKernel('placeSlices', placed, plan);
  },
  backward: ([dy], { inputSpecs, needs, options: { begins } }) =>
    inputSpecs.map(({ shape }, i) =>
      needs[i] ? slice(dy, { begin: begins[i] as readonly number[], size: shape }) : null,
    ),
  cost: noFlops,
});

/** A result that is a part of its op's input. */
export interface Part extends TensorSpec {
  /** Its first element, on each axis of the input. */
  readonly begin: readonly number[];
  /** Its shape as a block of the input, if that has more axes. */
  readonly block?: Shape;
}

/** The gradient of the input of ops whose plans consist of parts. */
export function placeParts(calls: readonly JoinedCall[], { shape }: TensorSpec): Tensor {
  const begins: (readonly number[])[] = [];
  const slices: Tensor[] = [];
  for (const { cotangents, plan } of calls) {
    (outputsOf(plan) as readonly Part[]).forEach(({ begin, block }, i) => {
      const dy = cotangents[i];
      if (!dy) return;
      begins.push(begin);
      slices.push(block ? reshape(dy, { shape: block }) : dy);
    });
  }
  const place = (first: number) =>
    placeSlices(slices.slice(first, first + maxOperands), {
      shape,
      begins: begins.slice(first, first + maxOperands),
    });
  let total = place(0);
  for (let next = maxOperands; next < slices.length; next += maxOperands) total = add(total, place(next));
  return total;
}

/** The layout of a block of a tensor of `shape` that begins at `begin`. */
export function blockLayout(shape: Shape, begin: readonly number[]): StridedLayout {
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
  // Check the length first: it may be anything. Copied, since `every` skips holes.
  if (list.length <= shape.length && [...list].every(Number.isInteger)) return list as number[];
  throw new ShapeError({
    op: 'slice',
    rule: `\`${what}\` is a list of integers, one for each axis.`,
    received: `${what}: ${describe(value)} for shape ${formatShape(shape)}`,
    hint: 'pass as many integers as x has axes, or fewer.',
  });
}
