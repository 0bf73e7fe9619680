/** @file categoricalHinge */
import { add, mul, sub } from '../../ops/arithmetic.ts';
import { max } from '../../ops/extrema.ts';
import { maximum } from '../../ops/maximum.ts';
import { sum } from '../../ops/sum.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

/**
 * max(wrong - right + 1, 0): right is the sum over the last axis of yTrue·yPred, wrong the maximum of (1 - yTrue)·yPred,
 * for targets of 0 and 1. Shapes broadcast.
 */
export const categoricalHinge: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'CategoricalHinge',
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => {
    const right = sum(mul(yTrue, yPred), { axis: -1 });
    const wrong = max(mul(sub(1, yTrue), yPred), { axis: -1 });
    return maximum(add(sub(wrong, right), 1), 0);
  },
});
