/** @file Reductions of segments: segmentSum, segmentMean, segmentMax, segmentMin, segmentProd. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { checkShape, formatShape, requireInteger, sameShape, sizeOf } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import type { Indexing } from '../../kernels/indexing/indexing.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';
import { gather, scatterAdd } from './gather.ts';
import { checkIndices, checkingOf, type IndexTarget } from '../define/indices.ts';
import { div, mul } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { ones } from '../creation/creation.ts';
import { maximum } from '../elementwise/maximum.ts';
import { reshape } from '../arrangement/reshape.ts';
import { segmentExtremumKernel } from '../../kernels/indexing/segmentExtremum.ts';
import { cast } from '../elementwise/cast.ts';
import { equal, notEqual } from '../elementwise/comparison.ts';
import { concat } from '../arrangement/concat.ts';
import { pad } from '../arrangement/pad.ts';
import { slice } from '../arrangement/slice.ts';
import { argsort } from '../sorting/sort.ts';
import { where } from '../elementwise/where.ts';

export interface SegmentSumOptions {
  /** Number of segments: the first axis of the result. */
  numSegments: number;
  /** Whether an id ≥ `numSegments` is a fault (default), or its rows are silently dropped. */
  validateIndices?: boolean;
}

/**
 * Sums the rows of `x` by segment: row s of the result is the sum of the rows whose id is s, in ascending order; zeros
 * for a segment without rows. Ids (int32 or uint32) may have any order and rank; rows with a negative id are dropped, as
 * in TensorFlow's unsorted_segment_sum.
 * Shapes: x [..ids, ..inner], segmentIds [..ids] → [numSegments, ..inner]. The gradient is a gather.
 * Errors: IndexOutOfRangeError as for `gather`.
 */
export const segmentSum: Op<
  [x: Tensor, segmentIds: Tensor],
  SegmentSumOptions,
  Tensor,
  'first',
  ['numSegments']
> = /* @__PURE__ */ defineOp({
  name: 'segmentSum',
  inputs: ['x', 'segmentIds:int32'],
  options: { numSegments: true, validateIndices: false },
  save: { inputs: [1] },
  infer: ([x, ids], options) => planSegments('segmentSum', x, ids, options),
  indexTarget: (_, plan) => segmentTarget(plan),
  forward: ([x, ids], plan, call) => {
    const checking = checkingOf(call, ids, call.options, segmentTarget(plan));
    return kernels().scatterAddKernel('segmentSum', ids, x, plan, plan.indexing, checking);
  },
  backward: ([dy], { inputs: [, ids], plan: { batchDims } }) => [
    gather(dy, ids, { axis: batchDims, batchDims, validateIndices: false }),
    null,
  ],
});

/** The options of a call that vmap makes. */
interface MappedSegmentOptions extends SegmentSumOptions {
  /** Leading axes of ids and `x` along which each example has segments of its own. Default 0. */
  batchDims?: number;
}

/** The result of a segment op, and where its ids point. */
export interface SegmentPlan extends TensorSpec {
  readonly batchDims: number;
  readonly indexing: Indexing;
}

/** The plan of a segment op. Errors: ShapeError, DTypeError, ValueError. */
function planSegments(
  op: string,
  x: TensorSpec,
  ids: TensorSpec,
  options: MappedSegmentOptions,
): SegmentPlan {
  const { numSegments, batchDims = 0 } = options;
  checkIndices(op, 'segmentIds', ids, options);
  requireDType(op, 'x', x.dtype, ['float32', 'int32', 'uint32']);
  requireInteger(op, 'numSegments', numSegments, 0);
  if (!sameShape(x.shape.slice(0, ids.shape.length), ids.shape)) {
    throw new ShapeError({
      op,
      rule: 'the shape of `x` must begin with that of `segmentIds`.',
      received: `x ${formatShape(x.shape)} and segmentIds ${formatShape(ids.shape)}`,
      hint: 'give each row of x an id, or reshape the ids.',
    });
  }
  const inner = x.shape.slice(ids.shape.length);
  const batch = ids.shape.slice(0, batchDims);
  const shape = [...batch, numSegments, ...inner];
  checkShape(op, shape);
  const indexing: Indexing = {
    addressing: 'axis',
    mode: 'outside',
    batch: sizeOf(batch),
    outer: 1,
    rows: numSegments,
    entries: sizeOf(ids.shape.slice(batchDims)),
    inner: sizeOf(inner),
    limit: numSegments,
  };
  return { shape, dtype: x.dtype, batchDims, indexing };
}

/** What the ids of a segment op point into. Negative ones are allowed, and select no segment. */
function segmentTarget(plan: SegmentPlan): IndexTarget {
  return {
    input: 1,
    name: 'segmentIds',
    of: `the result ${formatSpec(plan)}`,
    axes: [plan.batchDims],
    limits: [plan.indexing.rows],
    hint: 'raise numSegments, or pass validateIndices: false to drop such rows.',
    ignoresNegative: true,
  };
}

/**
 * The mean of the rows of `x` in each segment; zeros for a segment without rows. float32. Ids as for `segmentSum`.
 * Shapes: x [..ids, ..inner], segmentIds [..ids] → [numSegments, ..inner].
 * Errors: as for `segmentSum`.
 */
export const segmentMean: CompositeOp<
  [x: Tensor, segmentIds: Tensor],
  SegmentSumOptions,
  Tensor,
  ['numSegments']
> = /* @__PURE__ */ defineComposite({
  name: 'segmentMean',
  acceptsFloat16: false,
  inputs: ['x', 'segmentIds:int32'],
  options: { numSegments: true, validateIndices: false },
  compose: ([x, ids], options) => {
    requireDType('segmentMean', 'x', x.dtype, ['float32']);
    const sums = segmentSum(x, ids, options);
    const counts = segmentSum(ones(ids.shape), ids, { ...options, validateIndices: false });
    const inner = sums.shape.slice(1).map(() => 1);
    return div(sums, reshape(maximum(counts, 1), { shape: [sums.shape[0] as number, ...inner] }));
  },
});

type SegmentOp = Op<[x: Tensor, segmentIds: Tensor], SegmentSumOptions, Tensor, 'first', ['numSegments']>;

/* @__NO_SIDE_EFFECTS__ */
function defineExtremum(name: 'segmentMax' | 'segmentMin', extremum: 'max' | 'min'): SegmentOp {
  return defineOp({
    name,
    inputs: ['x', 'segmentIds:int32'],
    options: { numSegments: true, validateIndices: false },
    save: { inputs: [0, 1], outputs: [0] },
    infer: ([x, ids], options) => planSegments(name, x, ids, options),
    indexTarget: (_, plan) => segmentTarget(plan),
    forward: ([x, ids], plan, call) => {
      const checking = checkingOf(call, ids, call.options, segmentTarget(plan));
      return segmentExtremumKernel(name, extremum, ids, x, plan, plan.indexing, checking);
    },
    backward: ([dy], { inputs: [x, ids], outputs: [y], plan: { shape, batchDims } }) => {
      const unchecked = { axis: batchDims, batchDims, validateIndices: false } as const;
      const isExtremum = cast(equal(x, gather(y, ids, unchecked)), 'float32');
      const count = scatterAdd(ids, isExtremum, { ...unchecked, shape });
      const shared = div(dy, maximum(count, 1));
      return [mul(isExtremum, gather(shared, ids, unchecked)), null];
    },
  });
}

/**
 * The elementwise maximum of the rows of `x` in each segment; a segment without rows holds -Infinity, or the lowest integer.
 * NaN propagates. Ids as for `segmentSum`. float32, int32, uint32.
 * Shapes: x [..ids, ..inner], segmentIds [..ids] → [numSegments, ..inner]. Elements that are equal share the gradient.
 * Errors: IndexOutOfRangeError as for `gather`; ShapeError, DTypeError, ValueError.
 */
export const segmentMax: SegmentOp = /* @__PURE__ */ defineExtremum('segmentMax', 'max');

/**
 * The elementwise minimum of the rows of `x` in each segment; a segment without rows holds Infinity, or the highest integer.
 * NaN propagates. Ids as for `segmentSum`. float32, int32, uint32.
 * Shapes: x [..ids, ..inner], segmentIds [..ids] → [numSegments, ..inner]. Elements that are equal share the gradient.
 * Errors: IndexOutOfRangeError as for `gather`; ShapeError, DTypeError, ValueError.
 */
export const segmentMin: SegmentOp = /* @__PURE__ */ defineExtremum('segmentMin', 'min');

/**
 * The product of the rows of `x` in each segment; ones for a segment without rows. Ids as for `segmentSum`. float32, int32,
 * uint32. Shapes: x [..ids, ..inner], segmentIds [..ids] → [numSegments, ..inner]. Its launches grow with the logarithm of
 * the number of rows. The gradient is right where rows are zero, too: it doesn't divide.
 * Source: G. Blelloch, "Prefix sums and their applications", 1990, segmented scans.
 * Errors: as for `segmentSum`.
 */
export const segmentProd: CompositeOp<
  [x: Tensor, segmentIds: Tensor],
  SegmentSumOptions,
  Tensor,
  ['numSegments']
> = /* @__PURE__ */ defineComposite({
  name: 'segmentProd',
  acceptsFloat16: false,
  inputs: ['x', 'segmentIds:int32'],
  options: { numSegments: true, validateIndices: false },
  compose: ([x, segmentIds], options) => {
    const { shape, dtype } = planSegments('segmentProd', x, segmentIds, options);
    const { numSegments } = options;
    const n = sizeOf(segmentIds.shape);
    if (n === 0) return ones(shape, { dtype });
    const ids = cast(reshape(segmentIds, { shape: [n] }), 'int32');
    const order = argsort(ids);
    const sorted = gather(ids, order);
    const rows = gather(reshape(x, { shape: [n, sizeOf(shape.slice(1))] }), order);
    // The last row of a segment holds its product. The sum of that row and zeros selects it.
    const isLast = reshape(lastOfSegments(sorted), { shape: [n, 1] });
    const last = where(isLast, scanned(rows, sorted), 0);
    const found = segmentSum(last, sorted, { numSegments, validateIndices: false });
    const counts = segmentSum(ones(segmentIds.shape, { dtype: 'int32' }), segmentIds, options);
    const isEmpty = reshape(equal(counts, 0), { shape: [numSegments, 1] });
    return reshape(where(isEmpty, ones([], { dtype }), found), { shape });
  },
});

/** Returns the product of each row [n, m] with those before it that have the same of the sorted ids [n]. */
function scanned(rows: Tensor, sorted: Tensor): Tensor {
  const { dtype } = rows;
  const n = rows.shape[0] as number;
  let products = rows;
  for (let distance = 1; distance < n; distance *= 2) {
    const isSame = equal(slice(sorted, { begin: distance }), slice(sorted, { begin: 0, size: n - distance }));
    const earlier = slice(products, { begin: [0, 0], size: [n - distance, -1] });
    const factors = where(reshape(isSame, { shape: [n - distance, 1] }), earlier, ones([], { dtype }));
    products = mul(
      products,
      pad(factors, {
        paddings: [
          [distance, 0],
          [0, 0],
        ],
        constantValue: 1,
      }),
    );
  }
  return products;
}

/** Returns whether each of the sorted ids [n] is the last of its kind. */
function lastOfSegments(sorted: Tensor): Tensor {
  const n = sorted.shape[0] as number;
  const differs = notEqual(slice(sorted, { begin: 1 }), slice(sorted, { begin: 0, size: n - 1 }));
  return concat([differs, ones([1], { dtype: 'bool' })]);
}
