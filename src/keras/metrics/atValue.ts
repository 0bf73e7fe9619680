/** @file The best of one rate where another is at least a given value. */
import { greaterEqual } from '../../ops/elementwise/comparison.ts';
import { max } from '../../ops/reductions/extrema.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { requireNumber } from '../losses/lossChecks.ts';
import { rejectExtraArguments } from '../../core/options.ts';
import { toTensor } from '../losses/lossInputs.ts';
import { type ClassMaker, classMaker } from './classMaker.ts';
import { confusionOf, type Thresholds } from './confusion.ts';
import { checked, integer, metric, type Values } from './declare.ts';
import { evenThresholds, FourCells } from './fourCells.ts';
import type { MetricOptions, UpdateOptions } from './metric.ts';
import { requireClass } from './precisionRecall.ts';
import { weightOf } from './sampleWeights.ts';

/** Options of the metrics at a given value of another. */
export interface AtValueOptions extends MetricOptions {
  /** Number of thresholds, evenly spaced between 0 and 1. Default 200. */
  numThresholds?: number;
  /** Evaluate only this class. Default: all. */
  classId?: number | null;
}

/** The table of these options; `constraint` is the rate that has a given value. */
const atValueTable = <C extends string>(constraint: C) =>
  ({
    [constraint]: checked((op, what, value) => requireNumber(op, what, value, { min: 0, max: 1 })),
    numThresholds: integer({ default: 200 }),
    classId: checked(requireClass, null),
  }) as never;

abstract class AtValue extends FourCells {
  declare protected readonly options: Values<AtValueOptions>;
  readonly #thresholds: Thresholds;

  /** Errors: ValueError for options. */
  constructor(given: AtValueOptions) {
    super(given);
    const { numThresholds } = this.options;
    const values = numThresholds === 1 ? [0.5] : evenThresholds(numThresholds);
    this.#thresholds = { values, onDevice: this.addConstant(values) };
    this.addCells([values.length]);
  }

  /** Errors: ShapeError where shapes or weights don't fit. */
  updateState(yTrue: TensorLike, yPred: TensorLike, options: UpdateOptions = {}): void {
    this.change(() => {
      const [targets, predictions] = [
        toTensor(this.name, 'yTrue', yTrue),
        toTensor(this.name, 'yPred', yPred),
      ];
      const weight = weightOf(this.name, options);
      const settings = { thresholds: this.#thresholds, classId: this.options.classId, weight };
      this.accumulate(confusionOf(this.name, targets, predictions, settings));
    });
  }

  /** Returns the largest of `rates` where `constrained` is at least `value`; 0 where it never is. */
  protected best(rates: Tensor, constrained: Tensor, value: number): Tensor {
    return max(where(greaterEqual(constrained, value), rates, 0));
  }
}

export interface SensitivityAtSpecificityOptions extends AtValueOptions {
  /** The required specificity, in [0, 1]. */
  specificity: number;
}

/** The best sensitivity TP / (TP + FN) where the specificity TN / (TN + FP) is at least `specificity`. */
export class SensitivityAtSpecificity extends /* @__PURE__ */ metric<
  SensitivityAtSpecificityOptions,
  AtValue
>('SensitivityAtSpecificity', AtValue, () => atValueTable('specificity')) {
  declare protected readonly options: Values<SensitivityAtSpecificityOptions>;

  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => this.best(this.sensitivity, this.specificity, this.options.specificity));
  }
}

export interface SpecificityAtSensitivityOptions extends AtValueOptions {
  /** The required sensitivity, in [0, 1]. */
  sensitivity: number;
}

/** The best specificity TN / (TN + FP) where the sensitivity TP / (TP + FN) is at least `sensitivity`. */
export class SpecificityAtSensitivity extends /* @__PURE__ */ metric<
  SpecificityAtSensitivityOptions,
  AtValue
>('SpecificityAtSensitivity', AtValue, () => atValueTable('sensitivity')) {
  declare protected readonly options: Values<SpecificityAtSensitivityOptions>;

  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => this.best(this.specificity, this.sensitivity, this.options.sensitivity));
  }
}

export interface PrecisionAtRecallOptions extends AtValueOptions {
  /** The required recall, in [0, 1]. */
  recall: number;
}

/** The best precision TP / (TP + FP) where the recall TP / (TP + FN) is at least `recall`. */
export class PrecisionAtRecall extends /* @__PURE__ */ metric<PrecisionAtRecallOptions, AtValue>(
  'PrecisionAtRecall',
  AtValue,
  () => atValueTable('recall'),
) {
  declare protected readonly options: Values<PrecisionAtRecallOptions>;

  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => this.best(this.precision, this.sensitivity, this.options.recall));
  }
}

export interface RecallAtPrecisionOptions extends AtValueOptions {
  /** The required precision, in [0, 1]. */
  precision: number;
}

/** The best recall TP / (TP + FN) where the precision TP / (TP + FP) is at least `precision`; 0 where it never is. */
export class RecallAtPrecision extends /* @__PURE__ */ metric<RecallAtPrecisionOptions, AtValue>(
  'RecallAtPrecision',
  AtValue,
  () => atValueTable('precision'),
) {
  declare protected readonly options: Values<RecallAtPrecisionOptions>;

  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => this.best(this.sensitivity, this.precision, this.options.precision));
  }
}

type Maker<O, M> = ClassMaker<[options: O], M>;

/**
 * The highest sensitivity at which specificity is at least the given one. Errors: ShapeError, ValueError for options.
 */
export const sensitivityAtSpecificity: Maker<SensitivityAtSpecificityOptions, SensitivityAtSpecificity> =
  /* @__PURE__ */ classMaker(SensitivityAtSpecificity);
/**
 * The highest specificity at which sensitivity is at least the given one. Errors: ShapeError, ValueError for options.
 */
export const specificityAtSensitivity: Maker<SpecificityAtSensitivityOptions, SpecificityAtSensitivity> =
  /* @__PURE__ */ classMaker(SpecificityAtSensitivity);
/** The highest precision at which recall is at least the given one. Errors: ShapeError, ValueError for options. */
export const precisionAtRecall: Maker<PrecisionAtRecallOptions, PrecisionAtRecall> =
  /* @__PURE__ */ classMaker(PrecisionAtRecall);
/** The highest recall at which precision is at least the given one. Errors: ShapeError, ValueError for options. */
export const recallAtPrecision: Maker<RecallAtPrecisionOptions, RecallAtPrecision> =
  /* @__PURE__ */ classMaker(RecallAtPrecision);
