/** @file binaryCrossentropy, binaryFocalCrossentropy */
import { normalizeAxis, requireBoolean } from '../../core/shape.ts';
import { sigmoid, softplus } from '../../ops/activations/activations.ts';
import { add, mul, neg, sub } from '../../ops/elementwise/arithmetic.ts';
import { clip } from '../../ops/elementwise/clip.ts';
import { mean } from '../../ops/reductions/mean.ts';
import { log } from '../../ops/elementwise/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { epsilon } from '../epsilon.ts';
import { checkCrossentropy, requireNumber } from './lossChecks.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';
import { pow } from '../../ops/elementwise/pow.ts';

export interface BinaryCrossentropyOptions {
  /** Whether yPred holds logits; probabilities otherwise. Default false. */
  fromLogits?: boolean;
  /** In [0, 1]: moves targets towards 1/2 by this fraction. Default 0. */
  labelSmoothing?: number;
  /** Axis of the mean. Default -1. */
  axis?: number;
}

/**
 * The mean over `axis` of -yTrue·log(p) - (1 - yTrue)·log(1 - p). Shapes of yTrue and yPred are the same; the result has
 * them without `axis`. Probabilities are clipped to [1e-7, 1 - 1e-7]; logits are not clipped, and the loss stays finite.
 * Errors: ShapeError; ValueError for options.
 */
export const binaryCrossentropy: LossMaker<BinaryCrossentropyOptions> =
  /* @__PURE__ */ defineLoss<BinaryCrossentropyOptions>({
    className: 'BinaryCrossentropy',
    aliases: ['bce'],
    defaults: { fromLogits: false, labelSmoothing: 0, axis: -1 },
    check: checkCrossentropy,
    shapes: 'same',
    values: (yTrue, yPred, { fromLogits, labelSmoothing, axis }, op) => {
      normalizeAxis(op, axis, yPred.shape.length);
      const targets = smoothBinary(yTrue, labelSmoothing);
      const entropy = fromLogits ? crossentropyOfLogits : crossentropyOfProbabilities;
      return mean(entropy(targets, yPred), { axis });
    },
  });

/** Targets moved towards 1/2. */
function smoothBinary(yTrue: Tensor, by: number): Tensor {
  return by === 0 ? yTrue : add(mul(yTrue, 1 - by), by / 2);
}

/** Written so that the terms don't cancel for targets near 0 and 1; log(1 + exp x) is smooth at 0, too. */
export function crossentropyOfLogits(targets: Tensor, logits: Tensor): Tensor {
  return add(mul(targets, softplus(neg(logits))), mul(sub(1, targets), softplus(logits)));
}

/** Elementwise, of probabilities clipped to [1e-7, 1 - 1e-7]. */
export function crossentropyOfProbabilities(targets: Tensor, probabilities: Tensor): Tensor {
  const p = clip(probabilities, { min: epsilon, max: 1 - epsilon });
  return neg(add(mul(targets, log(p)), mul(sub(1, targets), log(sub(1, p)))));
}

export interface BinaryFocalCrossentropyOptions extends BinaryCrossentropyOptions {
  /** Whether targets of 1 weigh alpha and targets of 0 weigh 1 - alpha. Default false. */
  applyClassBalancing?: boolean;
  /**
   * Weight of class 1, where `applyClassBalancing` is set; class 0 has 1 - alpha. In [0, 1]. Default 0.25.
   */
  alpha?: number;
  /** Exponent that reduces the weight of well-predicted samples; at least 0. Default 2. */
  gamma?: number;
}

/**
 * The binary crossentropy times (1 - p)^gamma, where p is the predicted probability of the true class. Shapes as of
 * binaryCrossentropy.
 * Source: Lin et al., Focal loss for dense object detection, 2017.
 * Errors: ShapeError; ValueError for options.
 */
export const binaryFocalCrossentropy: LossMaker<BinaryFocalCrossentropyOptions> =
  /* @__PURE__ */ defineLoss<BinaryFocalCrossentropyOptions>({
    className: 'BinaryFocalCrossentropy',
    defaults: {
      applyClassBalancing: false,
      alpha: 0.25,
      gamma: 2,
      fromLogits: false,
      labelSmoothing: 0,
      axis: -1,
    },
    check: (options, op) => {
      const { applyClassBalancing, alpha, gamma } = options;
      requireBoolean(op, 'applyClassBalancing', applyClassBalancing);
      requireNumber(op, 'alpha', alpha, { min: 0, max: 1 });
      requireNumber(op, 'gamma', gamma, { min: 0 });
      checkCrossentropy(options, op);
    },
    shapes: 'same',
    values: (yTrue, yPred, options, op) => {
      const { applyClassBalancing, alpha, gamma, fromLogits, labelSmoothing, axis } = options;
      normalizeAxis(op, axis, yPred.shape.length);
      const targets = smoothBinary(yTrue, labelSmoothing);
      const p = fromLogits ? sigmoid(yPred) : yPred;
      const focal = mul(fading(targets, p, gamma), crossentropyOfProbabilities(targets, p));
      return mean(applyClassBalancing ? mul(between(targets, alpha, 1 - alpha), focal) : focal, { axis });
    },
  });

/** (1 - p)^gamma, for the predicted probability p of the true class. */
function fading(targets: Tensor, p: Tensor, gamma: number): Tensor {
  const truth = add(mul(targets, p), mul(sub(1, targets), sub(1, p)));
  return pow(sub(1, truth), gamma);
}

/** `one` for a target of 1, `zero` for a target of 0, interpolated in between. */
function between(targets: Tensor, one: number, zero: number): Tensor {
  return add(mul(targets, one), mul(sub(1, targets), zero));
}
