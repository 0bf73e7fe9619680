/** @file categoricalCrossentropy, categoricalFocalCrossentropy */
import { ShapeError } from '../../core/errors.ts';
import { normalizeAxis } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { warnOnce } from '../../core/warn.ts';
import { add, div, mul, neg, sub } from '../../ops/elementwise/arithmetic.ts';
import { clip } from '../../ops/elementwise/clip.ts';
import { logSoftmax, softmax } from '../../ops/activations/softmax.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { log } from '../../ops/elementwise/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { epsilon } from '../epsilon.ts';
import { checkCrossentropy, requireNumber } from './lossChecks.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';
import { pow } from '../../ops/elementwise/pow.ts';

export interface CategoricalCrossentropyOptions {
  /** Whether yPred holds logits; probabilities otherwise. Default false. */
  fromLogits?: boolean;
  /** In [0, 1]: spreads this fraction of the targets over all classes. Default 0. */
  labelSmoothing?: number;
  /** Axis of the classes. Default -1. */
  axis?: number;
}

/**
 * Minus the sum over the classes of yTrue·log(p), for targets that are one-hot or probabilities. Shapes of yTrue and
 * yPred are the same; the result has them without `axis`. Probabilities are divided by their sum and clipped to
 * [1e-7, 1 - 1e-7]; logits are not clipped.
 * Errors: ShapeError; ValueError for options.
 */
export const categoricalCrossentropy: LossMaker<CategoricalCrossentropyOptions> =
  /* @__PURE__ */ defineLoss<CategoricalCrossentropyOptions>({
    className: 'CategoricalCrossentropy',
    defaults: { fromLogits: false, labelSmoothing: 0, axis: -1 },
    check: checkCrossentropy,
    shapes: 'same',
    values: (yTrue, yPred, { fromLogits, labelSmoothing, axis }, op) => {
      const along = normalizeAxis(op, axis, yPred.shape.length);
      if (yPred.shape[along] === 1) warnOnce(singleClass(op));
      const targets = smoothCategorical(op, yTrue, labelSmoothing, axis);
      const logarithms = fromLogits ? logSoftmax(yPred, { axis }) : log(shares(yPred, axis));
      return neg(sum(mul(targets, logarithms), { axis }));
    },
  });

function singleClass(op: string): string {
  return `${op}: with one class the loss is 0 and nothing is trained. For two classes use binaryCrossentropy with a sigmoid, or two units.`;
}

/** Targets moved towards a uniform distribution. */
function smoothCategorical(op: string, yTrue: Tensor, by: number, axis: number): Tensor {
  if (by === 0) return yTrue;
  const classes = yTrue.shape.at(axis) ?? null;
  if (classes === null) {
    throw new ShapeError({
      op,
      rule: 'label smoothing needs to know the number of classes.',
      received: `yTrue ${formatSpec(yTrue)}, whose axis ${axis} is open`,
      hint: 'give the size of that axis in input({ shape }).',
    });
  }
  return add(mul(yTrue, 1 - by), by / classes);
}

/** `x` over its sum along `axis`, clipped to [1e-7, 1 - 1e-7]. */
export function shares(x: Tensor, axis: number): Tensor {
  return clip(div(x, sum(x, { axis, keepDims: true })), { min: epsilon, max: 1 - epsilon });
}

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
    check: (options, op) => {
      const { alpha, gamma } = options;
      requireNumber(op, 'alpha', alpha, { min: 0 });
      requireNumber(op, 'gamma', gamma, { min: 0 });
      checkCrossentropy(options, op);
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
