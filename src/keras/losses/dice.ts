/** @file dice */
import { add, div, mul, sub } from '../../ops/arithmetic.ts';
import { sum } from '../../ops/sum.ts';
import { epsilon } from '../epsilon.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

export interface DiceOptions {
  /** Axes of the sums; null: all. Default null. */
  axis?: number | readonly number[] | null;
}

/**
 * 1 - 2·Σ yTrue·yPred / (Σ yTrue + Σ yPred): 0 where two masks cover each other. Shapes broadcast; the result has them
 * without `axis`. Source: Milletari et al., V-Net, 2016 (with sums in place of sums of squares, as in Keras).
 */
export const dice: LossMaker<DiceOptions> = /* @__PURE__ */ defineLoss<DiceOptions>({
  className: 'Dice',
  defaults: { axis: null },
  shapes: 'broadcast',
  minRank: 0,
  values: (yTrue, yPred, { axis }) => {
    const shared = sum(mul(yTrue, yPred), { axis });
    const total = add(sum(yTrue, { axis }), sum(yPred, { axis }));
    return sub(1, div(mul(shared, 2), add(total, epsilon)));
  },
});
