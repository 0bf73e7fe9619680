/** @file poisson */
import { add, mul, sub } from '../../ops/arithmetic.ts';
import { mean } from '../../ops/mean.ts';
import { log } from '../../ops/unary.ts';
import { epsilon } from '../epsilon.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

/** The mean over the last axis of yPred - yTrue·log(yPred + 1e-7): counts, and the rates predicted for them. */
export const poisson: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'Poisson',
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => mean(sub(yPred, mul(yTrue, log(add(yPred, epsilon)))), { axis: -1 }),
});
