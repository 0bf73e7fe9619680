/** @file Regression losses: functions of the error yPred - yTrue, and cosineSimilarity. */
import { normalizeAxis } from '../../core/shape.ts';
import { softplus } from '../../ops/activations/activations.ts';
import { add, div, mul, neg, squaredDifference, sub } from '../../ops/elementwise/arithmetic.ts';
import { clip } from '../../ops/elementwise/clip.ts';
import { maximum } from '../../ops/elementwise/maximum.ts';
import { mean } from '../../ops/reductions/mean.ts';
import { abs } from '../../ops/elementwise/rounding.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { log1p, rsqrt, square } from '../../ops/elementwise/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { epsilon } from '../epsilon.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';
import { requireNumber } from './lossChecks.ts';

/** The mean over the last axis of (yTrue - yPred)². Shapes broadcast. */
export const meanSquaredError: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'MeanSquaredError',
  aliases: ['mse'],
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => mean(squaredDifference(yTrue, yPred), { axis: -1 }),
});

/** The mean over the last axis of |yTrue - yPred|. Shapes broadcast. The gradient is 0 where they are equal. */
export const meanAbsoluteError: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'MeanAbsoluteError',
  aliases: ['mae'],
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => mean(abs(sub(yTrue, yPred)), { axis: -1 }),
});

/** 100 times the mean over the last axis of |yTrue - yPred| / max(|yTrue|, 1e-7). Shapes broadcast. */
export const meanAbsolutePercentageError: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'MeanAbsolutePercentageError',
  aliases: ['mape'],
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => {
    const relative = div(sub(yTrue, yPred), maximum(abs(yTrue), epsilon));
    return mul(mean(abs(relative), { axis: -1 }), 100);
  },
});

/** The mean over the last axis of (log(yTrue + 1) - log(yPred + 1))², both raised to at least 1e-7 first. Shapes broadcast. */
export const meanSquaredLogarithmicError: LossMaker = /* @__PURE__ */ defineLoss({
  className: 'MeanSquaredLogarithmicError',
  aliases: ['msle'],
  defaults: {},
  shapes: 'broadcast',
  values: (yTrue, yPred) => mean(squaredDifference(logarithm(yTrue), logarithm(yPred)), { axis: -1 }),
});

const logarithm = (x: Tensor) => log1p(maximum(x, epsilon));

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
    // With r the error clipped to ±delta, both branches are r·(e - r/2): no select is needed, and it is smooth at 0.
    const error = sub(yPred, yTrue);
    const cut = clip(error, { min: -delta, max: delta });
    return mean(mul(cut, sub(error, mul(cut, 0.5))), { axis: -1 });
  },
});

export interface CosineSimilarityOptions {
  /** Axis of the features. Default -1. */
  axis?: number;
}

/**
 * Minus the cosine of the angle between yTrue and yPred along `axis`: -1 where they point the same way, 0 where one is a
 * zero vector. Shapes broadcast; the result has them without `axis`.
 * Errors: ShapeError for an axis that they lack.
 */
export const cosineSimilarity: LossMaker<CosineSimilarityOptions> =
  /* @__PURE__ */ defineLoss<CosineSimilarityOptions>({
    className: 'CosineSimilarity',
    defaults: { axis: -1 },
    shapes: 'broadcast',
    values: (yTrue, yPred, { axis }, op) => {
      normalizeAxis(op, axis, yPred.shape.length);
      return neg(sum(mul(unit(yTrue, axis), unit(yPred, axis)), { axis }));
    },
  });

/** Returns `x` divided by its length, at least 1e-7. The bound is applied under the root, where the gradient is finite. */
function unit(x: Tensor, axis: number): Tensor {
  const squares = sum(square(x), { axis, keepDims: true });
  return mul(x, rsqrt(maximum(squares, epsilon ** 2)));
}
