/** @file Losses of distributions: klDivergence and poisson. Crossentropies have their own files. */
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { clip } from '../../ops/elementwise/clip.ts';
import { mean } from '../../ops/reductions/mean.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { log } from '../../ops/elementwise/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { epsilon } from '../epsilon.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

/** The sum over the last axis of yTrue·log(yTrue / yPred), of probabilities clipped to [1e-7, 1]. Shapes broadcast. */
export const klDivergence: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'KLDivergence',
  aliases: ['kld', 'kullback_leibler_divergence'],
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => {
    const target = probability(yTrue);
    return sum(mul(target, log(div(target, probability(yPred)))), { axis: -1 });
  },
});

const probability = (x: Tensor) => clip(x, { min: epsilon, max: 1 });

/** The mean over the last axis of yPred - yTrue·log(yPred + 1e-7): yTrue are counts, yPred the predicted rates. */
export const poisson: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'Poisson',
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => mean(sub(yPred, mul(yTrue, log(add(yPred, epsilon)))), { axis: -1 }),
});
