/** @file tf.losses, over Keras's losses: with an axis of one element added, those are the losses of single elements. */
import * as keras from '../../../../src/keras/index.ts';
import { Tensor } from '../../../../src/index.ts';
import { defineShim, type Loose, native, Rejection, rejectUnless, toTensor } from './call.ts';
import { notOffered } from './notOffered.ts';

/** The reductions of TF.js's losses. */
export const Reduction = { NONE: 0, MEAN: 1, SUM: 2, SUM_BY_NONZERO_WEIGHTS: 3 };

/** Returns the weighted losses, reduced as TF.js does: Keras's `sum_over_batch_size` counts elements of weight 0 as well. */
function reduced(losses: Loose, given: Loose, reduction: number): Loose {
  const weights = given === undefined || given === null ? null : toTensor(given);
  const weighted = weights === null ? losses : native('mul')(losses, weights);
  const total = () => native('sum')(weighted);
  switch (reduction) {
    case Reduction.NONE:
      return weights === null ? native('identity')(losses) : weighted;
    case Reduction.SUM:
      return total();
    case Reduction.MEAN: {
      if (weights === null) return native('mean')(losses);
      const copies = Math.max(1, losses.size / weights.size);
      return native('div')(native('div')(total(), native('sum')(weights)), copies);
    }
    case Reduction.SUM_BY_NONZERO_WEIGHTS: {
      if (weights === null) return native('mean')(losses);
      const spread = native('mul')(weights, native('ones')(losses.shape));
      return native('div')(total(), native('sum')(native('cast')(native('notEqual')(spread, 0), 'float32')));
    }
    default:
      throw new Rejection(`Unknown reduction: ${reduction}`);
  }
}

const byNonzero = Reduction.SUM_BY_NONZERO_WEIGHTS;

const computeWeightedLoss = defineShim(
  'computeWeightedLoss',
  ['losses', 'weights'],
  (losses, weights, reduction = byNonzero) => reduced(toTensor(losses), weights, reduction),
);

function requireOneShape(name: string, a: Loose, b: Loose): void {
  rejectUnless(
    !(a instanceof Tensor && b instanceof Tensor) || String(a.shape) === String(b.shape),
    `Error in ${name}:  Shapes ${a?.shape} and ${b?.shape} must match`,
  );
}

type Elementwise = (labels: Loose, predictions: Loose) => Loose;

/** Defines a loss of elements by one of Keras's over the last axis. */
function ofElements(loss: keras.losses.Loss): Elementwise {
  const single = (x: Loose) => native('expandDims')(x, { axis: -1 });
  return (labels, predictions) => loss.call(single(labels), single(predictions));
}

const weightedLoss = (name: string, values: Elementwise, names = ['labels', 'predictions']) =>
  defineShim(name, [...names, 'weights'], (first, second, weights, reduction = byNonzero) =>
    lossOf(name, values, first, second, weights, reduction),
  );

function lossOf(
  name: string,
  values: Elementwise,
  first: Loose,
  second: Loose,
  weights: Loose,
  reduction: number,
): Loose {
  const [labels, predictions] = [toTensor(first), toTensor(second)];
  requireOneShape(name, labels, predictions);
  return reduced(values(labels, predictions), weights, reduction);
}

const none = { reduction: 'none' } as const;

export const losses = {
  computeWeightedLoss,
  absoluteDifference: weightedLoss('absoluteDifference', ofElements(keras.losses.meanAbsoluteError(none))),
  meanSquaredError: weightedLoss('meanSquaredError', ofElements(keras.losses.meanSquaredError(none))),
  hingeLoss: weightedLoss('hingeLoss', ofElements(keras.losses.hinge(none))),
  huberLoss: defineShim(
    'huberLoss',
    ['labels', 'predictions', 'weights'],
    (labels, predictions, weights, delta = 1, reduction = byNonzero) =>
      lossOf(
        'huberLoss',
        ofElements(keras.losses.huber({ ...none, delta })),
        labels,
        predictions,
        weights,
        reduction,
      ),
  ),
  /** TF.js adds epsilon, while Keras clips to it. */
  logLoss: defineShim(
    'logLoss',
    ['labels', 'predictions', 'weights'],
    (labels, predictions, weights, epsilon = 1e-7, reduction = byNonzero) => {
      const logOf = (x: Loose) => native('log')(native('add')(x, epsilon));
      const values: Elementwise = (y, p) => {
        const ones = native('mul')(y, logOf(p));
        const zeros = native('mul')(native('sub')(1, y), logOf(native('sub')(1, p)));
        return native('neg')(native('add')(ones, zeros));
      };
      return lossOf('logLoss', values, labels, predictions, weights, reduction);
    },
  ),
  /** Of vectors of length 1, which TF.js doesn't normalize. */
  cosineDistance: defineShim(
    'cosineDistance',
    ['labels', 'predictions', '', 'weights'],
    (labels, predictions, axis, weights, reduction = byNonzero) => {
      const values: Elementwise = (y, p) =>
        native('sub')(1, native('sum')(native('mul')(y, p), { axis, keepDims: true }));
      return lossOf('cosineDistance', values, labels, predictions, weights, reduction);
    },
  ),
  sigmoidCrossEntropy: defineShim(
    'sigmoidCrossEntropy',
    ['multiClassLabels', 'logits', 'weights'],
    (labels, logits, weights, labelSmoothing = 0, reduction = byNonzero) => {
      const loss = keras.losses.binaryCrossentropy({ ...none, fromLogits: true, labelSmoothing });
      return lossOf('sigmoidCrossEntropy', ofElements(loss), labels, logits, weights, reduction);
    },
  ),
  softmaxCrossEntropy: defineShim(
    'softmaxCrossEntropy',
    ['onehotLabels', 'logits', 'weights'],
    (labels, logits, weights, labelSmoothing = 0, reduction = byNonzero) => {
      const loss = keras.losses.categoricalCrossentropy({ ...none, fromLogits: true, labelSmoothing });
      const values: Elementwise = (y, x) => {
        if (y instanceof Tensor && y.rank === 0) notOffered('the cross-entropy of scalars');
        return loss.call(y, x);
      };
      return lossOf('softmaxCrossEntropy', values, labels, logits, weights, reduction);
    },
  ),
};
