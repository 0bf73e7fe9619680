/** @file inTopK */
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireInteger, sameShape } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { cast } from '../elementwise/cast.ts';
import { greater, less } from '../elementwise/comparison.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { expandDims } from '../arrangement/expandDims.ts';
import { logicalAnd } from '../elementwise/logical.ts';
import { isFinite as areFinite } from '../elementwise/predicates.ts';
import { squeeze } from '../arrangement/squeeze.ts';
import { sum } from '../reductions/sum.ts';
import { takeAlongAxis } from '../indexing/takeAlongAxis.ts';

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
