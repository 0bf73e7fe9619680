/** @file Means of errors over batches; see the losses of the same names. */
import { neg, squaredDifference } from '../../ops/elementwise/arithmetic.ts';
import { sqrt } from '../../ops/elementwise/unary.ts';
import { requireBroadcast } from '../losses/lossChecks.ts';
import {
  cosineSimilarity as cosineLoss,
  type CosineSimilarityOptions,
  logCosh,
  meanAbsoluteError as absoluteLoss,
  meanAbsolutePercentageError as percentageLoss,
  meanSquaredError as squaredLoss,
  meanSquaredLogarithmicError as logarithmicLoss,
} from '../losses/regression.ts';
import { sameRank } from '../losses/lossInputs.ts';
import { defineMetric, meanOfLoss, type MetricMaker } from './defineMetric.ts';

/** The mean of (yTrue - yPred)². State: total, count. */
export const meanSquaredError: MetricMaker = /* @__PURE__ */ meanOfLoss(
  { className: 'MeanSquaredError', aliases: ['mse'] },
  squaredLoss,
);

/** The mean of |yTrue - yPred|. State: total, count. */
export const meanAbsoluteError: MetricMaker = /* @__PURE__ */ meanOfLoss(
  { className: 'MeanAbsoluteError', aliases: ['mae'] },
  absoluteLoss,
);

/** 100 times the mean of |yTrue - yPred| / |yTrue|, whose divisor is 1e-7 at least. State: total, count. */
export const meanAbsolutePercentageError: MetricMaker = /* @__PURE__ */ meanOfLoss(
  { className: 'MeanAbsolutePercentageError', aliases: ['mape'] },
  percentageLoss,
);

/** The mean of (log(yTrue + 1) - log(yPred + 1))². State: total, count. */
export const meanSquaredLogarithmicError: MetricMaker = /* @__PURE__ */ meanOfLoss(
  { className: 'MeanSquaredLogarithmicError', aliases: ['msle'] },
  logarithmicLoss,
);

/** The square root of the mean of (yTrue - yPred)². State: total, count. */
export const rootMeanSquaredError: MetricMaker = /* @__PURE__ */ defineMetric({
  className: 'RootMeanSquaredError',
  aliases: ['rmse'],
  defaults: {},
  direction: 'down',
  prepare: (_, op) => (yTrue, yPred) => {
    const [targets, predictions] = sameRank(yTrue, yPred);
    requireBroadcast(op, ['`yTrue`', targets], ['`yPred`', predictions]);
    return squaredDifference(targets, predictions);
  },
  finish: sqrt,
});

/** The mean cosine of the angle between yTrue and yPred along `axis`. State: total, count. */
export const cosineSimilarity: MetricMaker<CosineSimilarityOptions> =
  /* @__PURE__ */ defineMetric<CosineSimilarityOptions>({
    className: 'CosineSimilarity',
    defaults: { axis: -1 },
    direction: 'up',
    prepare: (options) => {
      const loss = cosineLoss(options);
      return (yTrue, yPred) => neg(loss.values(yTrue, yPred));
    },
  });

/** The mean of log cosh(yPred - yTrue). State: total, count. */
export const logCoshError: MetricMaker = /* @__PURE__ */ meanOfLoss(
  { className: 'LogCoshError', label: 'logcosh' },
  logCosh,
);
