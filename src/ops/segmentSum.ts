/** @file segmentSum */
import { requireDType } from '../core/dtype.ts';
import { ShapeError } from '../core/errors.ts';
import { checkShape, formatShape, requireInteger, sameShape, sizeOf } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import type { Indexing } from '../kernels/indexing.ts';
import { kernels } from '../kernels/loadKernels.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { defineOp, type Op } from './define.ts';
import { gather } from './gather.ts';
import { checkIndices, checkingOf } from './indices.ts';

/** Options of `segmentSum`. */
export interface SegmentSumOptions {
  /** Count of segments: the first axis of the result. */
  numSegments: number;
  /** Whether an id of `numSegments` or above is a fault (default), or its rows are dropped silently. */
  validateIndices?: boolean;
}

/**
 * Sums the rows of `x` by segment: row s of the result is the sum of the rows whose id is s, in ascending order; zeros
 * for a segment without rows. Ids (int32 or uint32) come in any order and rank; rows with a negative id are dropped, as
 * in TensorFlow's unsorted_segment_sum.
 * Shapes: x [..ids, ..inner], segmentIds [..ids] → [numSegments, ..inner]. The gradient is a gather.
 * Errors: IndexOutOfRangeError as of `gather`.
 */
export const segmentSum: Op<[x: Tensor, segmentIds: Tensor], SegmentSumOptions, Tensor, 'first'> =
  /* @__PURE__ */ defineOp({
    name: 'segmentSum',
    inputs: ['x', 'segmentIds:int32'],
    options: { numSegments: true, validateIndices: false },
    save: { inputs: [1] },
    infer: ([x, ids], options) => {
      const { numSegments } = options;
      checkIndices('segmentSum', 'segmentIds', ids, options);
      requireDType('segmentSum', 'x', x.dtype, ['float32', 'int32', 'uint32']);
      requireInteger('segmentSum', 'numSegments', numSegments, 0);
      if (!sameShape(x.shape.slice(0, ids.shape.length), ids.shape)) {
        throw new ShapeError({
          op: 'segmentSum',
          rule: 'the shape of `x` must begin with that of `segmentIds`.',
          received: `x ${formatShape(x.shape)} and segmentIds ${formatShape(ids.shape)}`,
          hint: 'give each row of x an id, or reshape the ids.',
        });
      }
      const inner = x.shape.slice(ids.shape.length);
      const shape = [numSegments, ...inner];
      checkShape('segmentSum', shape);
      const indexing: Indexing = {
        addressing: 'axis',
        mode: 'outside',
        batch: 1,
        outer: 1,
        rows: numSegments,
        entries: sizeOf(ids.shape),
        inner: sizeOf(inner),
        limit: numSegments,
      };
      return { shape, dtype: x.dtype, indexing };
    },
    forward: ([x, ids], plan, call) => {
      const checking = checkingOf(call, ids, call.options, {
        input: 1,
        name: 'segmentIds',
        of: `the result ${formatSpec(plan)}`,
        axes: [0],
        limits: [plan.indexing.rows],
        hint: 'raise numSegments, or pass validateIndices: false to drop such rows.',
        ignoresNegative: true,
      });
      return kernels().scatterAddKernel('segmentSum', ids, x, plan, plan.indexing, checking);
    },
    backward: ([dy], { inputs: [, ids] }) => [gather(dy, ids, { axis: 0, validateIndices: false }), null],
  });
