/** @file confusionMatrix */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireInteger, requireRank, sameShape } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { ones } from '../creation/creation.ts';
import { scatterNd } from './gatherNd.ts';
import { stack } from '../arrangement/stack.ts';

export interface ConfusionMatrixOptions {
  /** The number of classes. */
  numClasses: number;
  /** Whether a class ≥ `numClasses` is a fault (default), or isn't counted. */
  validateIndices?: boolean;
}

/**
 * How often each class (row) was predicted as each class (column), or the sum of the `weights`. Shapes: labels and
 * predictions [n] of integers, weights [n] or null → [numClasses, numClasses], int32 or the dtype of the weights.
 * Errors: ShapeError, DTypeError for tensors that don't fit, ValueError for options; IndexOutOfRangeError as for `scatterNd`.
 */
export const confusionMatrix: CompositeOp<
  [labels: Tensor, predictions: Tensor, weights: Tensor | null],
  ConfusionMatrixOptions,
  Tensor,
  ['numClasses']
> = /* @__PURE__ */ defineComposite({
  name: 'confusionMatrix',
  inputs: ['labels:int32', 'predictions:int32', 'weights?'],
  options: { numClasses: true, validateIndices: false },
  compose: ([labels, predictions, weights], { numClasses, ...checks }) => {
    const op = 'confusionMatrix';
    requireInteger(op, 'numClasses', numClasses, 1);
    requireRank(op, 'labels', labels.shape, 1);
    requireDType(op, 'labels', labels.dtype, ['int32', 'uint32']);
    requireDType(op, 'predictions', predictions.dtype, ['int32', 'uint32']);
    if (!sameShape(labels.shape, predictions.shape)) {
      throw new ShapeError({
        op,
        rule: '`labels` and `predictions` must have the same shape.',
        received: `labels ${formatShape(labels.shape)} and predictions ${formatShape(predictions.shape)}`,
        hint: 'pass one predicted class for each label.',
      });
    }
    const counted = weights ?? ones(labels.shape, { dtype: 'int32' });
    const pairs = stack([labels, predictions], { axis: -1 });
    return scatterNd(pairs, counted, { shape: [numClasses, numClasses], ...checks });
  },
});
