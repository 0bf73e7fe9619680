/** @file The best of one rate where another is at least a given value. */
import { requireInteger } from '../../core/shape.ts';
import { greaterEqual } from '../../ops/comparison.ts';
import { max } from '../../ops/extrema.ts';
import type { TensorLike } from '../../ops/operands.ts';
import { where } from '../../ops/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { requireNumber } from '../losses/lossChecks.ts';
import { rejectExtraArguments } from '../../core/options.ts';
import { toTensor } from '../losses/lossInputs.ts';
import { type ClassMaker, classMaker, metricOptions, settingsOf } from './classMaker.ts';
import { confusionOf, type Thresholds } from './confusion.ts';
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

abstract class AtValue extends FourCells {
  readonly #value: number;
  readonly #options: Record<string, unknown>;
  readonly #classId: number | null;
  readonly #thresholds: Thresholds;

  /** Errors: ValueError for options. */
  constructor(given: AtValueOptions & Record<string, unknown>, constraint: string) {
    const { name, ...others } = settingsOf<AtValueOptions>(new.target.className, given);
    const op = name ?? 'metric';
    const defaults = { [constraint]: null, numThresholds: 200, classId: null };
    const options = metricOptions<Record<string, unknown>>(op, others, defaults);
    const { [constraint]: value, numThresholds, classId } = options;
    requireNumber(op, constraint, value, { min: 0, max: 1 });
    requireInteger(op, 'numThresholds', numThresholds, 1);
    if (classId !== null) requireClass(op, classId);
    super(name === undefined ? {} : { name });
    this.#value = value;
    this.#options = options;
    this.#classId = classId;
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
      const settings = { thresholds: this.#thresholds, classId: this.#classId, weight };
      this.accumulate(confusionOf(this.name, targets, predictions, settings));
    });
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), ...this.#options };
  }

  /** Returns the largest of `rates` where `constrained` is at least the value; 0 where it never is. */
  protected best(rates: Tensor, constrained: Tensor): Tensor {
    return max(where(greaterEqual(constrained, this.#value), rates, 0));
  }
}

/** Options of `sensitivityAtSpecificity`. */
export interface SensitivityAtSpecificityOptions extends AtValueOptions {
  /** The required specificity, in [0, 1]. */
  specificity: number;
}

/** The best sensitivity TP / (TP + FN) where the specificity TN / (TN + FP) is at least `specificity`. */
export class SensitivityAtSpecificity extends AtValue {
  static override readonly className: string = 'SensitivityAtSpecificity';
  constructor(options: SensitivityAtSpecificityOptions) {
    super(options as never, 'specificity');
  }
  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => this.best(this.sensitivity, this.specificity));
  }
}

/** Options of `specificityAtSensitivity`. */
export interface SpecificityAtSensitivityOptions extends AtValueOptions {
  /** The required sensitivity, in [0, 1]. */
  sensitivity: number;
}

/** The best specificity TN / (TN + FP) where the sensitivity TP / (TP + FN) is at least `sensitivity`. */
export class SpecificityAtSensitivity extends AtValue {
  static override readonly className: string = 'SpecificityAtSensitivity';
  constructor(options: SpecificityAtSensitivityOptions) {
    super(options as never, 'sensitivity');
  }
  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => this.best(this.specificity, this.sensitivity));
  }
}

/** Options of `precisionAtRecall`. */
export interface PrecisionAtRecallOptions extends AtValueOptions {
  /** The required recall, in [0, 1]. */
  recall: number;
}

/** The best precision TP / (TP + FP) where the recall TP / (TP + FN) is at least `recall`. */
export class PrecisionAtRecall extends AtValue {
  static override readonly className: string = 'PrecisionAtRecall';
  constructor(options: PrecisionAtRecallOptions) {
    super(options as never, 'recall');
  }
  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => this.best(this.precision, this.sensitivity));
  }
}

/** Options of `recallAtPrecision`. */
export interface RecallAtPrecisionOptions extends AtValueOptions {
  /** The required precision, in [0, 1]. */
  precision: number;
}

/** The best recall TP / (TP + FN) where the precision TP / (TP + FP) is at least `precision`; 0 where it never is. */
export class RecallAtPrecision extends AtValue {
  static override readonly className: string = 'RecallAtPrecision';
  constructor(options: RecallAtPrecisionOptions) {
    super(options as never, 'precision');
  }
  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => this.best(this.sensitivity, this.precision));
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
