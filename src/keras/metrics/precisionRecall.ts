/** @file Precision and Recall. */
import { ValueError } from '../../core/errors.ts';
import { describe, requireInteger } from '../../core/shape.ts';
import { add } from '../../ops/arithmetic.ts';
import type { TensorLike } from '../../ops/operands.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { rejectExtraArguments } from '../../core/options.ts';
import { toTensor } from '../losses/lossInputs.ts';
import { type ClassMaker, classMaker, metricOptions, settingsOf } from './classMaker.ts';
import { type Confusion, confusionOf, lowest, requireThresholds, type Thresholds } from './confusion.ts';
import { divideNoNaN } from './mean.ts';
import { type Direction, Metric, type MetricOptions, type UpdateOptions } from './metric.ts';
import { scalarOfOne } from './positives.ts';
import { weightOf } from './sampleWeights.ts';

/** Options of `precision` and `recall`. */
export interface PrecisionRecallOptions extends MetricOptions {
  /** Predictions above it are positive: a number in [0, 1], or a list with one result per threshold. Default 0.5. */
  thresholds?: number | readonly number[] | null;
  /** Only the k largest predictions along the last axis can be positive. Default: all. */
  topK?: number | null;
  /** Evaluate only this class. Default: all. */
  classId?: number | null;
}

const defaults = { thresholds: null, topK: null, classId: null } as Required<PrecisionRecallOptions>;

/** True positives as a fraction of true positives plus `missed`. */
abstract class PositiveRate extends Metric {
  readonly #options: Required<Omit<PrecisionRecallOptions, keyof MetricOptions>>;
  readonly #thresholds: Thresholds;
  readonly truePositives: Variable;
  /** The count of false predictions: false positives for precision, false negatives for recall. */
  protected readonly missed: Variable;

  /** Errors: ValueError for options. */
  constructor(all: PrecisionRecallOptions, missed: string) {
    const { name, ...given } = settingsOf(new.target.className, all);
    const op = name ?? 'metric';
    const options = metricOptions<PrecisionRecallOptions>(op, given, defaults);
    if (options.topK !== null) requireInteger(op, 'topK', options.topK, 1);
    if (options.classId !== null) requireClass(op, options.classId);
    const values = requireThresholds(op, options.thresholds, options.topK === null ? 0.5 : lowest);
    super(name === undefined ? {} : { name });
    this.#options = options;
    this.#thresholds = { values, onDevice: this.addConstant([...values]) };
    this.truePositives = this.addVariable('true_positives', [values.length]);
    this.missed = this.addVariable(missed, [values.length]);
  }

  override get direction(): Direction {
    return 'up';
  }

  /** Errors: ShapeError where shapes or weights don't fit. */
  updateState(yTrue: TensorLike, yPred: TensorLike, options: UpdateOptions = {}): void {
    this.change(() => {
      const { topK, classId } = this.#options;
      const confusion = confusionOf(
        this.name,
        toTensor(this.name, 'yTrue', yTrue),
        toTensor(this.name, 'yPred', yPred),
        { thresholds: this.#thresholds, topK, classId, weight: weightOf(this.name, options) },
      );
      this.truePositives.assign(add(this.truePositives, confusion.truePositives));
      this.missed.assign(add(this.missed, this.missedIn(confusion)));
    });
  }

  /** One value per threshold; a scalar for a single threshold. */
  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() =>
      scalarOfOne(divideNoNaN(this.truePositives, add(this.truePositives, this.missed))),
    );
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), ...this.#options };
  }

  protected abstract missedIn(confusion: Confusion): Tensor;
}

/** The fraction of positive predictions that are true. State: true_positives, false_positives. */
export class Precision extends PositiveRate {
  static override readonly className: string = 'Precision';

  constructor(options: PrecisionRecallOptions = {}) {
    super(options, 'false_positives');
  }

  get falsePositives(): Variable {
    return this.missed;
  }

  protected missedIn(confusion: Confusion): Tensor {
    return confusion.falsePositives;
  }
}

/** The fraction of true targets that are predicted positive. State: true_positives, false_negatives. */
export class Recall extends PositiveRate {
  static override readonly className: string = 'Recall';

  constructor(options: PrecisionRecallOptions = {}) {
    super(options, 'false_negatives');
  }

  get falseNegatives(): Variable {
    return this.missed;
  }

  protected missedIn(confusion: Confusion): Tensor {
    return confusion.falseNegatives;
  }
}

type Maker<M> = ClassMaker<[options?: PrecisionRecallOptions], M>;

/**
 * The fraction of positive predictions that are true. Targets and predictions of one shape. Errors: ShapeError,
 * ValueError for options.
 */
export const precision: Maker<Precision> = /* @__PURE__ */ classMaker(Precision);
/**
 * The fraction of true targets that are predicted positive. Targets and predictions of one shape. Errors: ShapeError,
 * ValueError for options.
 */
export const recall: Maker<Recall> = /* @__PURE__ */ classMaker(Recall);

/** Throws unless `classId` is the number of a class. */
export function requireClass(op: string, classId: unknown): asserts classId is number {
  if (Number.isInteger(classId) && (classId as number) >= 0) return;
  throw new ValueError({
    op,
    rule: '`classId` is the number of a class, from 0 on.',
    received: `classId: ${describe(classId)}`,
    hint: 'leave it out for all classes.',
  });
}
