/** @file klDivergence */
import { div, mul } from '../../ops/arithmetic.ts';
import { clip } from '../../ops/clip.ts';
import { sum } from '../../ops/sum.ts';
import { log } from '../../ops/unary.ts';
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
