/** @file Losses of overlapping masks: dice and tversky. */
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { epsilon } from '../epsilon.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';
import { requireNumber } from './lossChecks.ts';

export interface DiceOptions {
  /** Axes of the sums; null: all. Default null. */
  axis?: number | readonly number[] | null;
}

/**
 * 1 - 2·Σ yTrue·yPred / (Σ yTrue + Σ yPred): 0 where two masks are equal. Shapes broadcast; the result has them
 * without `axis`. Source: Milletari et al., V-Net, 2016 (with sums instead of sums of squares, as in Keras).
 */
export const dice: LossMaker<DiceOptions> = /* @__PURE__ */ defineLoss<DiceOptions>({
  className: 'Dice',
  defaults: { axis: null },
  shapes: 'broadcast',
  minRank: 0,
  values: (yTrue, yPred, { axis }) => {
    const intersection = sum(mul(yTrue, yPred), { axis });
    const total = add(sum(yTrue, { axis }), sum(yPred, { axis }));
    return sub(1, div(mul(intersection, 2), add(total, epsilon)));
  },
});

export interface TverskyOptions {
  /** Weight of false negatives, at least 0. Default 0.5. */
  alpha?: number;
  /** Weight of false positives, at least 0. Default 0.5. */
  beta?: number;
  /** Axes of the sums; null: all. Default null. */
  axis?: number | readonly number[] | null;
}

/**
 * 1 - TP / (TP + alpha·FN + beta·FP), where the true positives are TP = Σ yTrue·yPred, the false negatives FN = Σ yTrue·(1 - yPred)
 * and the false positives FP = Σ (1 - yTrue)·yPred. Shapes broadcast, and `axis` is removed from the result.
 * Source: Salehi et al., Tversky loss function for image segmentation, 2017 (alpha and beta as in Keras).
 */
export const tversky: LossMaker<TverskyOptions> = /* @__PURE__ */ defineLoss<TverskyOptions>({
  className: 'Tversky',
  defaults: { alpha: 0.5, beta: 0.5, axis: null },
  check: ({ alpha, beta }, op) => {
    requireNumber(op, 'alpha', alpha, { min: 0 });
    requireNumber(op, 'beta', beta, { min: 0 });
  },
  shapes: 'broadcast',
  minRank: 0,
  values: (yTrue, yPred, { alpha, beta, axis }) => {
    const truePositives = sum(mul(yTrue, yPred), { axis });
    const falseNegatives = sum(mul(yTrue, sub(1, yPred)), { axis });
    const falsePositives = sum(mul(sub(1, yTrue), yPred), { axis });
    const union = add(truePositives, add(mul(falseNegatives, alpha), mul(falsePositives, beta)));
    return sub(1, div(truePositives, add(union, epsilon)));
  },
});
