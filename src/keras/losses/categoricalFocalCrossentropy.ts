/** @file categoricalFocalCrossentropy */
import { normalizeAxis, requireBoolean } from '../../core/shape.ts';
import { mul, neg, sub } from '../../ops/elementwise/arithmetic.ts';
import { pow } from '../../ops/elementwise/pow.ts';
import { softmax } from '../../ops/activations/softmax.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { log } from '../../ops/elementwise/unary.ts';
import { type CategoricalCrossentropyOptions, shares, smoothCategorical } from './categoricalCrossentropy.ts';
import { requireNumber } from './lossChecks.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';

export interface CategoricalFocalCrossentropyOptions extends CategoricalCrossentropyOptions {
  /** Factor of all classes; at least 0. Default 0.25. */
  alpha?: number;
  /** Exponent that reduces the weight of well-predicted classes; at least 0. Default 2. */
  gamma?: number;
}

/**
 * Minus the sum over the classes of alpha·(1 - p)^gamma·yTrue·log(p). Shapes as of categoricalCrossentropy.
 * Source: Lin et al., Focal loss for dense object detection, 2017.
 * Errors: ShapeError; ValueError for options.
 */
export const categoricalFocalCrossentropy: LossMaker<CategoricalFocalCrossentropyOptions> =
  /* @__PURE__ */ defineLoss<CategoricalFocalCrossentropyOptions>({
    className: 'CategoricalFocalCrossentropy',
    defaults: { alpha: 0.25, gamma: 2, fromLogits: false, labelSmoothing: 0, axis: -1 },
    check: ({ alpha, gamma, fromLogits, labelSmoothing }, op) => {
      requireNumber(op, 'alpha', alpha, { min: 0 });
      requireNumber(op, 'gamma', gamma, { min: 0 });
      requireBoolean(op, 'fromLogits', fromLogits);
      requireNumber(op, 'labelSmoothing', labelSmoothing, { min: 0, max: 1 });
    },
    shapes: 'same',
    values: (yTrue, yPred, { alpha, gamma, fromLogits, labelSmoothing, axis }, op) => {
      normalizeAxis(op, axis, yPred.shape.length);
      const targets = smoothCategorical(op, yTrue, labelSmoothing, axis);
      const p = shares(fromLogits ? softmax(yPred, { axis }) : yPred, axis);
      const focal = mul(mul(pow(sub(1, p), gamma), alpha), mul(targets, log(p)));
      return neg(sum(focal, { axis }));
    },
  });
