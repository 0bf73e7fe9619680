/** @file segmentSum, and common code of the segment ops. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { checkShape, formatShape, requireInteger, sameShape, sizeOf } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import type { Indexing } from '../../kernels/indexing/indexing.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';
import { gather } from './gather.ts';
import { checkIndices, checkingOf, type IndexTarget } from '../define/indices.ts';

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
export function planSegments(
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
export function segmentTarget(plan: SegmentPlan): IndexTarget {
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
