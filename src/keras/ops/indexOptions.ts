/** @file Ops with indices, with Keras's arguments: oneHot, multiHot, bincount, scatterUpdate, sliceUpdate. */
import type { DType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { isPlainObject, type OptionNames, optionsOf, type Settings } from '../../core/options.ts';
import { requireInteger, requireOneOf } from '../../core/shape.ts';
import { onesLike } from '../../ops/creation/like.ts';
import { nonzero as libraryNonzero } from '../../ops/indexing/nonzero.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { slice as librarySlice } from '../../ops/arrangement/slice.ts';
import { unstack } from '../../ops/arrangement/unstack.ts';
import {
  sliceUpdate as librarySliceUpdate,
  type SliceUpdateOptions,
} from '../../ops/arrangement/sliceUpdate.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { add, mul } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { greaterEqual, less } from '../../ops/elementwise/comparison.ts';
import { logicalAnd } from '../../ops/elementwise/logical.ts';
import { range } from '../../ops/creation/range.ts';
import { maximum, minimum } from '../../ops/elementwise/maximum.ts';
import { where } from '../../ops/elementwise/where.ts';
import { oneHot as libraryOneHot, type OneHotOptions } from '../../ops/indexing/oneHot.ts';
import { segmentMax, segmentMin, segmentProd, segmentSum } from '../../ops/indexing/segments.ts';
import {
  slicesAt,
  tensorScatterUpdate,
  type TensorScatterUpdateOptions,
} from '../../ops/indexing/tensorScatterUpdate.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { disposing, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { dynamicSlice, dynamicSliceUpdate, type DynamicStart, isDynamic } from './dynamicSlice.ts';
import { isTensor, kerasTensor } from './promotion.ts';

const combined = {
  add: [segmentSum, add],
  max: [segmentMax, maximum],
  min: [segmentMin, minimum],
  mul: [segmentProd, mul],
} as const;

export interface ScatterUpdateOptions extends TensorScatterUpdateOptions {
  /** What a slice and its updates become: their sum, maximum, minimum or product. Default null: the last update. */
  reduction?: keyof typeof combined | null;
}

/**
 * x with the slices at coordinates `indices` replaced by `updates`, or combined with them. The
 * dtype is that of x, which updates get, too. Shapes and errors: as of `tensorScatterUpdate`; ValueError for a reduction that isn't one.
 */
export const scatterUpdate: CompositeOp<
  [x: Tensor, indices: Tensor, updates: Tensor],
  ScatterUpdateOptions,
  Tensor,
  ['reduction']
> = /* @__PURE__ */ defineComposite({
  name: 'scatterUpdate',
  inputs: ['x', 'indices:int32', 'updates'],
  options: { reduction: true, validateIndices: false },
  compose: ([x, indices, given], { reduction = null, ...options }) => {
    const updates = cast(given, { dtype: x.dtype });
    if (reduction === null) return tensorScatterUpdate(x, indices, updates, options);
    requireOneOf('scatterUpdate', 'reduction', reduction, Object.keys(combined) as (keyof typeof combined)[]);
    const { rows, ids, numSegments, isTouched } = slicesAt('scatterUpdate', x, indices, updates, options);
    const [reduce, combine] = combined[reduction];
    const reduced = reshape(reduce(rows, ids, { numSegments }), { shape: x.shape });
    return where(isTouched, combine(x, where(isTouched, reduced, x)), x);
  },
});

/** Options of `oneHot`. */
export interface ClassesOptions<D extends DType = DType>
  extends Partial<Pick<OneHotOptions<D>, 'depth' | 'axis' | 'dtype' | 'onValue' | 'offValue'>> {
  /** Number of classes: the size of the new axis. */
  numClasses?: number;
}

/**
 * The library's `oneHot`, with Keras's arguments: `oneHot(x, 3)`. `depth` is another name of `numClasses`. Any dtype, float32 by
 * default. Shapes and errors: as there.
 */
export const oneHot: CompositeOp<[indices: Tensor], ClassesOptions, Tensor, ['numClasses', 'axis', 'dtype']> =
  /* @__PURE__ */ defineComposite({
    name: 'oneHot',
    inputs: ['indices:int32'],
    options: { numClasses: true, axis: true, dtype: true, depth: false, onValue: false, offValue: false },
    backward: null,
    compose: ([indices], { numClasses, depth = numClasses as number, ...others }) =>
      libraryOneHot(indices, { depth, ...others }),
  });

export interface MultiHotOptions {
  /** Number of classes. */
  numClasses: number;
  /** Where the axis of classes goes, before the axis of indices is reduced. Default -1. */
  axis?: number;
  /** Dtype of the result. Default float32. */
  dtype?: DType;
}

/**
 * 1 for each class in a row of indices, 0 for others. Shapes: indices [k] → [numClasses], [batch, k] → [batch, numClasses]. float32
 * unless `dtype` is another. Errors: ValueError, DTypeError.
 */
export const multiHot: CompositeOp<
  [indices: Tensor],
  MultiHotOptions,
  Tensor,
  ['numClasses', 'axis', 'dtype']
> = /* @__PURE__ */ defineComposite({
  name: 'multiHot',
  inputs: ['indices:int32'],
  options: { numClasses: true, axis: true, dtype: true },
  backward: null,
  compose: ([indices], { numClasses, axis = -1, dtype = 'float32' }) => {
    const rows = libraryOneHot(indices, { depth: numClasses, axis, dtype: 'int32' });
    return cast(max(rows, { axis: indices.shape.length > 1 ? 1 : 0 }), { dtype });
  },
});

/** Options of `bincount`. */
export interface CountOptions {
  /** What each number counts. Shape: that of x. Default null: 1. */
  weights?: TensorLike | null;
  /**
   * The least size of the result. A list or a typed array may hold larger numbers; for a tensor, which isn't read, it is the size, and
   * a larger number an error. Default 0.
   */
  minlength?: number;
  /** Another name of `minlength`: the library's. */
  size?: number;
}

const countNames: OptionNames<CountOptions> = { weights: true, minlength: true, size: false };

/**
 * How often each number from 0 on occurs in x, or the sum of its `weights`. Shapes: x [n] or [batch, n] of integers → [size] or
 * [batch, size], int32 or the dtype of the weights. The gradient of the weights is a gather. Errors: ValueError for a tensor without a
 * size, ShapeError, DTypeError; IndexOutOfRangeError, when the result is read.
 */
export function bincount(
  x: TensorLike,
  ...settings: Settings<CountOptions, ['weights', 'minlength']>
): Tensor;
export function bincount(x: TensorLike, ...settings: unknown[]): Tensor {
  const options: CountOptions = optionsOf('bincount', settings, countNames, ['x']);
  const { weights = null, minlength = 0, size = minlength } = options;
  requireInteger('bincount', 'minlength', size, 0);
  if (isTensor(x) && size === 0) throw noSize();
  return tidy(() => {
    const numbers = cast(kerasTensor(x), 'int32');
    const counts = weights === null ? onesLike(numbers) : kerasTensor(weights);
    const numSegments = isTensor(x) ? size : Math.max(size, highestOf(x) + 1);
    if (numbers.shape.length !== 2) return segmentSum(counts, numbers, { numSegments });
    const [rows] = numbers.shape as [number, number];
    const ids = placesInRows(numbers, rows, numSegments);
    return reshape(segmentSum(counts, ids, { numSegments: rows * numSegments }), {
      shape: [rows, numSegments],
    });
  });
}

/** Numbers of each row as places in all rows of `size`; those that a row doesn't hold stay out of range. */
function placesInRows(numbers: Tensor, rows: number, size: number): Tensor {
  const first = reshape(mul(range(0, rows, { dtype: 'int32' }), size), { shape: [rows, 1] });
  const isInside = logicalAnd(greaterEqual(numbers, 0), less(numbers, size));
  return where(isInside, add(numbers, first), where(less(numbers, 0), numbers, rows * size));
}

/** Returns the highest number in values; -1 if there are none. */
function highestOf(values: unknown): number {
  if (typeof values === 'number' || typeof values === 'boolean') return Number(values);
  let highest = -1;
  for (const value of values as Iterable<unknown>) highest = Math.max(highest, highestOf(value));
  return highest;
}

const noSize = () =>
  new ValueError({
    op: 'bincount',
    rule: "the numbers of a tensor are on the device, so that they don't decide on the size of the result.",
    received: 'no `minlength`',
    hint: 'pass { minlength } above all numbers, or a list or typed array instead of a tensor.',
  });

/**
 * The indices of the elements of x that aren't 0, in row-major order: for each axis, a tensor of its indices, as in Keras. The library's
 * `nonzero` gives a row for each element. Any dtype but float16. Shapes: x of rank r → r of [count], int32. Asynchronous: the count is
 * read back. Errors: ValueError unless x is a tensor, DTypeError.
 */
export async function nonzero(x: Tensor, ...extra: never[]): Promise<Tensor<'int32'>[]> {
  const rows = await libraryNonzero(x, ...(extra as []));
  return disposing(rows, () => (x.rank === 0 ? [] : (unstack(rows, { axis: 1 }) as Tensor<'int32'>[])));
}

type SliceOp = typeof librarySlice;

/** `slice`, which may begin where a tensor says: `slice(x, start, [2, 3])`. */
export interface Slice extends SliceOp {
  (x: Tensor, begin: DynamicStart, size: readonly number[]): Tensor;
}

/**
 * The library's `slice`, also from a start that is on the device: a tensor of an integer for each axis, or a list with scalars. `size`
 * then has a number for each axis, and a block that would extend beyond x begins earlier. Shapes and errors: as of the library's
 * `slice`, and ValueError.
 */
export const slice: Slice = /* @__PURE__ */ withDynamicStart(librarySlice);

/* @__NO_SIDE_EFFECTS__ */
function withDynamicStart(op: SliceOp): Slice {
  const call = (x: Tensor, ...others: unknown[]) => {
    const [first, second] = others;
    const { begin, size } = isPlainObject(first)
      ? (first as { begin?: unknown; size?: unknown })
      : { begin: first, size: isPlainObject(second) ? (second as { size?: unknown }).size : second };
    if (isDynamic(begin)) return dynamicSlice(x, begin, size);
    return (op as (...args: unknown[]) => Tensor)(x, ...others);
  };
  return Object.assign(call, { definition: op.definition }) as unknown as Slice;
}

/**
 * x with the block from `begin` on replaced by `updates`, which get its dtype: `sliceUpdate(x, [0, 1], updates)` as in Keras, or
 * `sliceUpdate(x, updates, { begin })`. In Keras's order `begin` may be a tensor of an integer for each axis, or a list with scalars: a
 * block that would extend beyond x begins earlier. Shapes and errors: as of the library's `sliceUpdate`, and ValueError.
 */
export const sliceUpdate: SliceUpdate = /* @__PURE__ */ withBeginFirst(
  /* @__PURE__ */ defineComposite({
    name: 'sliceUpdate',
    inputs: ['x', 'updates'],
    options: { begin: true },
    compose: ([x, updates], options) => librarySliceUpdate(x, cast(updates, { dtype: x.dtype }), options),
  }),
);

type SliceUpdateOp = CompositeOp<[x: Tensor, updates: Tensor], SliceUpdateOptions, Tensor, ['begin']>;

/** `sliceUpdate`: where the block begins may come first, as in Keras, and depend on a tensor. */
export interface SliceUpdate extends SliceUpdateOp {
  (x: TensorLike, begin: readonly number[] | DynamicStart, updates: TensorLike): Tensor;
}

/* @__NO_SIDE_EFFECTS__ */
function withBeginFirst(op: SliceUpdateOp): SliceUpdate {
  const call = (x: TensorLike, ...others: unknown[]) => {
    const [begin, updates] = others;
    if (isDynamic(begin) && isTensor(updates)) {
      const of = x as Tensor;
      return dynamicSliceUpdate(of, begin, cast(updates, { dtype: of.dtype }));
    }
    const isFirst = Array.isArray(begin) && updates !== undefined && !isPlainObject(updates);
    return isFirst
      ? op(x, updates as TensorLike, { begin: begin as number[] })
      : (op as (...args: unknown[]) => Tensor)(x, ...others);
  };
  return Object.assign(call, { definition: op.definition }) as unknown as SliceUpdate;
}
