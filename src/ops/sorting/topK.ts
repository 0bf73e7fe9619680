/** @file topK, inTopK */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireBoolean, requireInteger, sameShape } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { topKKernel } from '../../kernels/sorting/topK.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';
import { numbers } from '../reductions/reduction.ts';
import { scatterAddAlongAxis, takeAlongAxis } from '../indexing/takeAlongAxis.ts';
import { cast } from '../elementwise/cast.ts';
import { greater, less } from '../elementwise/comparison.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { expandDims, squeeze } from '../arrangement/expandDims.ts';
import { logicalAnd } from '../elementwise/logical.ts';
import { isFinite as areFinite } from '../elementwise/predicates.ts';
import { sum } from '../reductions/sum.ts';

export interface TopKOptions {
  /** How many elements are taken along the last axis; at most its size. Default 1. */
  k?: number;
  /** Whether the order matters. The result is sorted in any case. Default true. */
  sorted?: boolean;
}

/**
 * [values, indices] of the k largest elements along the last axis, in descending order; among equal ones, the lower index
 * comes first. A NaN counts as the largest. Shapes: x [..., n] → [..., k]; indices are int32.
 * Gradient: the cotangent of a value goes to the element it was read from.
 * Errors: ShapeError for a scalar and for k above n, ValueError for options, DTypeError for bools.
 */
export const topK: Op<
  [x: Tensor],
  TopKOptions,
  [values: Tensor, indices: Tensor<'int32'>],
  'first',
  ['k', 'sorted']
> = /* @__PURE__ */ defineOp({
  name: 'topK',
  inputs: ['x'],
  options: { k: true, sorted: true },
  save: { inputs: [], outputs: [1] },
  infer: ([x], { k = 1, sorted = true }) => {
    requireDType('topK', 'x', x.dtype, numbers);
    requireInteger('topK', 'k', k, 0);
    requireBoolean('topK', 'sorted', sorted);
    const n = x.shape.at(-1);
    if (n === undefined || k > n) {
      throw new ShapeError({
        op: 'topK',
        rule: 'the last axis must have at least k elements.',
        received: `k: ${k} of ${formatSpec(x)}`,
        hint: 'choose a smaller k; a scalar has no axis to choose from.',
      });
    }
    const shape = [...x.shape.slice(0, -1), k];
    return [
      { shape, dtype: x.dtype, k },
      { shape, dtype: 'int32' },
    ];
  },
  forward: ([x], plan) => topKKernel(x, plan[0].k, plan),
  backward: ([dValues], { outputs: [, indices], inputSpecs: [x] }) => [
    scatterAddAlongAxis(indices, dValues, { shape: x.shape, axis: -1, validateIndices: false }),
  ],
});

export interface InTopKOptions {
  /** How many of the highest predictions count. Default 1. */
  k?: number;
}

/**
 * Whether the class of each target is among the k highest predictions, including classes that tie with the k-th. bool,
 * without a gradient. False for a target whose prediction isn't finite.
 * Shapes: targets [...] of integers, predictions [..., classes] → [...].
 * Errors: ShapeError, DTypeError for tensors that don't fit, ValueError for k; IndexOutOfRangeError as for `takeAlongAxis`.
 */
export const inTopK: CompositeOp<[targets: Tensor, predictions: Tensor], InTopKOptions, Tensor, ['k']> =
  /* @__PURE__ */ defineComposite({
    name: 'inTopK',
    inputs: ['targets:int32', 'predictions'],
    options: { k: true },
    backward: null,
    compose: ([targets, predictions], { k = 1 }) => {
      requireInteger('inTopK', 'k', k, 1);
      if (predictions.shape.length === 0 || !sameShape(targets.shape, predictions.shape.slice(0, -1))) {
        throw new ShapeError({
          op: 'inTopK',
          rule: '`targets` must have the shape of `predictions` without its last axis.',
          received: `targets ${formatShape(targets.shape)} and predictions ${formatShape(predictions.shape)}`,
          hint: 'pass one class for each vector of predictions.',
        });
      }
      const chosen = takeAlongAxis(predictions, expandDims(targets, { axis: -1 }), { axis: -1 });
      const better = sum(cast(greater(predictions, chosen), 'int32'), { axis: -1 });
      return logicalAnd(less(better, k), areFinite(squeeze(chosen, { axis: -1 })));
    },
  });
