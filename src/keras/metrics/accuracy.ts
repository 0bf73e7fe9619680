/** @file Accuracies: the fraction of correct predictions. */
import { ShapeError } from '../../core/errors.ts';
import { formatSpec, type OpenSpec } from '../../core/spec.ts';
import { argMax } from '../../ops/reductions/argExtrema.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { equal, greater } from '../../ops/elementwise/comparison.ts';
import { mean } from '../../ops/reductions/mean.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { requireBroadcast, requireMinRank, requireNumber, requireSame } from '../losses/lossChecks.ts';
import { labelsOf } from '../losses/labels.ts';
import { sameRank } from '../losses/lossInputs.ts';
import { defineMetric, type MetricMaker } from './defineMetric.ts';

/** How often yPred equals yTrue: the mean over the last axis, and over samples. State: total, count. */
export const accuracy: MetricMaker = /* @__PURE__ */ defineMetric({
  className: 'Accuracy',
  defaults: {},
  direction: 'up',
  prepare: (_, op) => (yTrue, yPred) => {
    const [targets, predictions] = aligned(op, yTrue, yPred);
    return meanOfMatches(equal(targets, predictions));
  },
});

export interface BinaryAccuracyOptions {
  /** Predictions above it count as 1; 0 for logits. Default 0.5. */
  threshold?: number;
}

/** How often predictions above `threshold` are 1 in yTrue, and others 0. State: total, count. */
export const binaryAccuracy: MetricMaker<BinaryAccuracyOptions> =
  /* @__PURE__ */ defineMetric<BinaryAccuracyOptions>({
    className: 'BinaryAccuracy',
    defaults: { threshold: 0.5 },
    direction: 'up',
    prepare: ({ threshold }, op) => {
      requireNumber(op, 'threshold', threshold);
      return (yTrue, yPred) => {
        const [targets, predictions] = aligned(op, yTrue, yPred);
        return meanOfMatches(equal(targets, cast(greater(predictions, threshold), 'float32')));
      };
    },
  });

/** How often the largest prediction is that of the true class; yTrue is one-hot. State: total, count. */
export const categoricalAccuracy: MetricMaker = /* @__PURE__ */ defineMetric({
  className: 'CategoricalAccuracy',
  defaults: {},
  direction: 'up',
  prepare: (_, op) => (yTrue, yPred) => {
    requireMinRank(op, yPred, 1);
    requireSame(op, ['`yTrue`', yTrue], ['`yPred`', yPred]);
    return matches(argMax(yTrue, { axis: -1 }), yPred);
  },
});

/** How often the largest prediction is that of the true class; yTrue holds class numbers. State: total, count. */
export const sparseCategoricalAccuracy: MetricMaker = /* @__PURE__ */ defineMetric({
  className: 'SparseCategoricalAccuracy',
  defaults: {},
  direction: 'up',
  targets: 'int32',
  prepare: (_, op) => (yTrue, yPred) => {
    requireMinRank(op, yPred, 1);
    return matches(labelsOf(op, yTrue, yPred, -1), yPred);
  },
});

/** 1 where the largest prediction is that of the label, 0 elsewhere. */
function matches(labels: Tensor, yPred: Tensor): Tensor {
  return cast(equal(labels, argMax(yPred, { axis: -1 })), 'float32');
}

function meanOfMatches(right: Tensor): Tensor {
  return mean(cast(right, 'float32'), { axis: -1 });
}

function aligned(op: string, yTrue: Tensor, yPred: Tensor): [Tensor, Tensor] {
  const [targets, predictions] = sameRank(yTrue, yPred);
  requireMinRank(op, predictions, 1);
  requireBroadcast(op, ['`yTrue`', targets], ['`yPred`', predictions]);
  return [targets, predictions];
}

/** Which accuracy 'accuracy' means for an output, by the shapes of its targets and predictions: Keras's rule. */
export function accuracyFor(yTrue: OpenSpec, yPred: OpenSpec): MetricMaker<object> {
  const [labels, classes] = [yTrue.shape.at(-1), yPred.shape.at(-1)];
  if (classes === undefined) {
    throw new ShapeError({
      op: 'accuracy',
      rule: 'an accuracy is measured of predictions with an axis of classes.',
      received: `yPred ${formatSpec(yPred)}`,
      hint: 'name the metric that you mean, such as metrics.accuracy().',
    });
  }
  if (classes === 1) return binaryAccuracy as MetricMaker<object>;
  const isSparse = yTrue.shape.length < yPred.shape.length || labels === 1;
  return isSparse ? sparseCategoricalAccuracy : categoricalAccuracy;
}
