/** @file sparseCategoricalCrossentropy */
import { ValueError } from '../../core/errors.ts';
import { describe, normalizeAxis, requireBoolean } from '../../core/shape.ts';
import { neg, sub } from '../../ops/elementwise/arithmetic.ts';
import { clip } from '../../ops/elementwise/clip.ts';
import { notEqual } from '../../ops/elementwise/comparison.ts';
import { expandDims, squeeze } from '../../ops/arrangement/expandDims.ts';
import { logSoftmax } from '../../ops/activations/softmax.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { transpose } from '../../ops/arrangement/transpose.ts';
import { log } from '../../ops/elementwise/unary.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { epsilon } from '../epsilon.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';
import { labelsOf } from './labels.ts';
import { pickClass } from './pickClass.ts';

export interface SparseCategoricalCrossentropyOptions {
  /** Whether yPred holds logits; probabilities otherwise. Default false. */
  fromLogits?: boolean;
  /** A label to ignore: its samples have loss 0 and do not count in means. Default: none. */
  ignoreClass?: number | null;
  /** Axis of the classes. Default -1. */
  axis?: number;
}

/**
 * Minus log(p) of the class that yTrue names by its number. Shapes: yTrue is yPred without `axis`, or with size 1 there;
 * the result is yPred without `axis`. Probabilities are clipped to [1e-7, 1 - 1e-7] and divided by their sum, as in Keras
 * on TensorFlow; logits are not clipped.
 * Errors: IndexOutOfRangeError, raised when the result is read, for a label outside of the classes, or a fraction; ValueError
 * for a fraction in host values, and for options; ShapeError.
 */
export const sparseCategoricalCrossentropy: LossMaker<SparseCategoricalCrossentropyOptions> =
  /* @__PURE__ */ defineLoss<SparseCategoricalCrossentropyOptions>({
    className: 'SparseCategoricalCrossentropy',
    defaults: { fromLogits: false, ignoreClass: null, axis: -1 },
    check: ({ fromLogits, ignoreClass }, op) => {
      requireBoolean(op, 'fromLogits', fromLogits);
      if (ignoreClass !== null) requireWhole(op, 'ignoreClass', ignoreClass);
    },
    shapes: 'own',
    targets: 'int32',
    values: (yTrue, yPred, { fromLogits, ignoreClass, axis }, op) => {
      const predictions = classesLast(op, yPred, axis);
      const labels = labelsOf(op, yTrue, yPred, axis);
      const entropy = fromLogits ? crossentropyOfLogits : crossentropyOfProbabilities;
      if (ignoreClass === null) return entropy(labels, predictions);
      // Ignored samples are replaced first, so that their NaNs and labels never reach a gradient.
      const counts = notEqual(labels, ignoreClass);
      const counted = where(expandDims(counts, { axis: -1 }), predictions, 0);
      return where(counts, entropy(where(counts, labels, 0), counted), 0);
    },
    mask: (values, yTrue, { ignoreClass, axis }) => {
      if (ignoreClass === null) return null;
      const labels = yTrue.shape.length > values.shape.length ? squeeze(yTrue, { axis }) : yTrue;
      return notEqual(labels, ignoreClass);
    },
  });

function crossentropyOfLogits(labels: Tensor, logits: Tensor): Tensor {
  return neg(pickClass(logSoftmax(logits, { axis: -1 }), labels));
}

function crossentropyOfProbabilities(labels: Tensor, probabilities: Tensor): Tensor {
  const p = clip(probabilities, { min: epsilon, max: 1 - epsilon });
  return sub(log(sum(p, { axis: -1 })), log(pickClass(p, labels)));
}

/** Predictions with the classes as their last axis. */
function classesLast(op: string, yPred: Tensor, axis: number): Tensor {
  const rank = yPred.shape.length;
  const classes = normalizeAxis(op, axis, rank);
  if (classes === rank - 1) return yPred;
  const others = Array.from({ length: rank }, (_, i) => i).filter((i) => i !== classes);
  return transpose(yPred, { perm: [...others, classes] });
}

function requireWhole(op: string, what: string, value: unknown): void {
  if (Number.isInteger(value)) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` must be an integer or null.`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass a label, such as -1.',
  });
}
