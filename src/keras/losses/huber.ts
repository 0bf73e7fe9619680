/** @file huber */
import { mul, sub } from '../../ops/arithmetic.ts';
import { clip } from '../../ops/clip.ts';
import { mean } from '../../ops/mean.ts';
import { requireNumber } from './lossChecks.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

export interface HuberOptions {
  /** Size of an error up to which the loss is quadratic; linear beyond. Default 1. */
  delta?: number;
}

/**
 * The mean over the last axis of e²/2 where |e| ≤ delta, delta·(|e| - delta/2) beyond, e = yPred - yTrue. Shapes
 * broadcast. Source: Huber, Robust estimation of a location parameter, 1964.
 * Errors: ValueError for a negative delta.
 */
export const huber: LossMaker<HuberOptions> = /* @__PURE__ */ defineLoss<HuberOptions>({
  className: 'Huber',
  label: 'huber_loss',
  defaults: { delta: 1 },
  check: ({ delta }, op) => requireNumber(op, 'delta', delta, { min: 0 }),
  shapes: 'broadcast',
  values: (yTrue, yPred, { delta }) => {
    // With r the error cut off at ±delta, both branches are r·(e - r/2): nothing to select, smooth at 0.
    const error = sub(yPred, yTrue);
    const cut = clip(error, { min: -delta, max: delta });
    return mean(mul(cut, sub(error, mul(cut, 0.5))), { axis: -1 });
  },
});
