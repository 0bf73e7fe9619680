/** @file meanAbsoluteError */
import { sub } from '../../ops/arithmetic.ts';
import { mean } from '../../ops/mean.ts';
import { abs } from '../../ops/rounding.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

/** The mean over the last axis of |yTrue - yPred|. Shapes broadcast. The gradient is 0 where they are equal. */
export const meanAbsoluteError: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'MeanAbsoluteError',
  aliases: ['mae'],
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => mean(abs(sub(yTrue, yPred)), { axis: -1 }),
});
