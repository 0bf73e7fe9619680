/** @file categoricalGeneralizedCrossEntropy */
import { div, sub } from '../../ops/elementwise/arithmetic.ts';
import { pow } from '../../ops/elementwise/pow.ts';
import { requireNumber } from './lossChecks.ts';
import { defineLoss, type LossMaker } from './defineLoss.ts';
import { labelsOf } from './labels.ts';
import { pickClass } from './pickClass.ts';

export interface CategoricalGeneralizedCrossEntropyOptions {
  /** Between 0, where it is the crossentropy, and 1, where it is the mean absolute error. Default 0.5. */
  q?: number;
}

/**
 * (1 - p^q) / q, where p is the probability of the class whose number is in yTrue. Tolerates wrong labels. Shapes as of
 * sparseCategoricalCrossentropy. Source: Zhang and Sabuncu, Generalized cross entropy loss for training deep neural
 * networks with noisy labels, 2018.
 * Errors: IndexOutOfRangeError, raised when the result is read, for a label outside of the classes; ShapeError; ValueError
 * for a q that isn't between 0 and 1.
 */
export const categoricalGeneralizedCrossEntropy: LossMaker<CategoricalGeneralizedCrossEntropyOptions> =
  /* @__PURE__ */ defineLoss<CategoricalGeneralizedCrossEntropyOptions>({
    className: 'CategoricalGeneralizedCrossEntropy',
    defaults: { q: 0.5 },
    check: ({ q }, op) => requireNumber(op, 'q', q, { above: 0, below: 1 }),
    shapes: 'own',
    targets: 'int32',
    values: (yTrue, yPred, { q }, op) => {
      const p = pickClass(yPred, labelsOf(op, yTrue, yPred, -1));
      return div(sub(1, pow(p, q)), q);
    },
  });
