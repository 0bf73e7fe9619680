/** @file meanAbsolutePercentageError */
import { div, mul, sub } from '../../ops/arithmetic.ts';
import { maximum } from '../../ops/maximum.ts';
import { mean } from '../../ops/mean.ts';
import { abs } from '../../ops/rounding.ts';
import { epsilon } from '../epsilon.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

/** 100 times the mean over the last axis of |yTrue - yPred| / max(|yTrue|, 1e-7). Shapes broadcast. */
export const meanAbsolutePercentageError: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'MeanAbsolutePercentageError',
  aliases: ['mape'],
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => {
    const relative = div(sub(yTrue, yPred), maximum(abs(yTrue), epsilon));
    return mul(mean(abs(relative), { axis: -1 }), 100);
  },
});
