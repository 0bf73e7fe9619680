/** @file logCosh */
import { softplus } from '../../ops/activations.ts';
import { add, mul, sub } from '../../ops/arithmetic.ts';
import { mean } from '../../ops/mean.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

/**
 * The mean over the last axis of log cosh(yPred - yTrue): near e²/2 for small errors, near |e| - log 2 for large ones, and
 * finite for all. Shapes broadcast.
 */
export const logCosh: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'LogCosh',
  aliases: ['logcosh'],
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => {
    const error = sub(yPred, yTrue);
    return mean(sub(add(error, softplus(mul(error, -2))), Math.LN2), { axis: -1 });
  },
});
