/** @file meanSquaredLogarithmicError */
import { squaredDifference } from '../../ops/arithmetic.ts';
import { maximum } from '../../ops/maximum.ts';
import { mean } from '../../ops/mean.ts';
import { log1p } from '../../ops/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { epsilon } from '../epsilon.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

/** The mean over the last axis of (log(yTrue + 1) - log(yPred + 1))², both at least 1e-7 before. Shapes broadcast. */
export const meanSquaredLogarithmicError: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'MeanSquaredLogarithmicError',
  aliases: ['msle'],
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => mean(squaredDifference(logarithm(yTrue), logarithm(yPred)), { axis: -1 }),
});

const logarithm = (x: Tensor) => log1p(maximum(x, epsilon));
