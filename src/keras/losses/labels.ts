/** @file Integer labels: targets that are class indices. */
import { ShapeError } from '../../core/errors.ts';
import { normalizeAxis } from '../../core/shape.ts';
import { squeeze } from '../../ops/arrangement/expandDims.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { formatPair, isSameShape } from './lossChecks.ts';

/**
 * Labels in the shape of `yPred` without `axis`, the class axis. `yTrue` may have size 1 there.
 * Errors: ShapeError for another shape.
 */
export function labelsOf(op: string, yTrue: Tensor, yPred: Tensor, axis: number): Tensor {
  const { length: rank } = yPred.shape;
  const classes = normalizeAxis(op, axis, rank);
  const isColumn = yTrue.shape.length === rank && yTrue.shape[classes] === 1;
  const labels = isColumn ? squeeze(yTrue, { axis: classes }) : yTrue;
  const samples = yPred.shape.filter((_, i) => i !== classes);
  if (isSameShape(labels.shape, samples)) return labels;
  throw new ShapeError({
    op,
    rule: '`yTrue` must have one label per sample: the shape of `yPred` without the class axis, or with size 1 there.',
    received: `${formatPair(['`yTrue`', yTrue], ['`yPred`', yPred])}, axis ${axis}`,
    hint: 'for one-hot targets use categoricalCrossentropy.',
  });
}
