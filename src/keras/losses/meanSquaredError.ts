/** @file meanSquaredError */
import { squaredDifference } from '../../ops/arithmetic.ts';
import { mean } from '../../ops/mean.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

/** The mean over the last axis of (yTrue - yPred)². Shapes broadcast. */
export const meanSquaredError: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'MeanSquaredError',
  aliases: ['mse'],
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => mean(squaredDifference(yTrue, yPred), { axis: -1 }),
});
