/** @file segmentMax, segmentMin */
import { segmentExtremumKernel } from '../../kernels/indexing/segmentExtremum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { div, mul } from '../elementwise/arithmetic.ts';
import { cast } from '../elementwise/cast.ts';
import { equal } from '../elementwise/comparison.ts';
import { defineOp, type Op } from '../define/define.ts';
import { gather, scatterAdd } from './gather.ts';
import { maximum } from '../elementwise/maximum.ts';
import { checkingOf } from '../define/indices.ts';
import { planSegments, type SegmentSumOptions, segmentTarget } from './segmentSum.ts';

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
