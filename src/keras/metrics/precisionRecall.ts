/** @file Precision and Recall. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { add } from '../../ops/elementwise/arithmetic.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { rejectExtraArguments } from '../../core/options.ts';
import { toTensor } from '../losses/lossInputs.ts';
import { snakeCase } from '../names.ts';
import { type ClassMaker, classMaker } from './classMaker.ts';
import { checked, integer, metric, type Values } from './declare.ts';
import { confusionOf, givenThresholds, lowest, requireThresholds, type Thresholds } from './confusion.ts';
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

const table = () => ({
  thresholds: givenThresholds(),
  topK: integer({ default: null }),
  classId: checked(requireClass, null),
});

/** True positives as a fraction of true positives plus `missed`. */
abstract class PositiveRate extends Metric {
  declare protected readonly options: Values<PrecisionRecallOptions>;
  readonly #thresholds: Thresholds;
  readonly truePositives: Variable;
  /** The count of false predictions: false positives for precision, false negatives for recall. */
  protected readonly missed: Variable;

  /** Errors: ValueError for options. */
  constructor(given: PrecisionRecallOptions) {
    super(given);
    const { thresholds, topK } = this.options;
    const values = requireThresholds(this.name, thresholds, topK === null ? 0.5 : lowest);
    this.#thresholds = { values, onDevice: this.addConstant([...values]) };
    this.truePositives = this.addVariable('true_positives', [values.length]);
    this.missed = this.addVariable(snakeCase(this.missedCell()), [values.length]);
  }

  /** The cell that `missed` counts. */
  protected abstract missedCell(): 'falsePositives' | 'falseNegatives';

  override get direction(): Direction {
    return 'up';
  }

  /** Errors: ShapeError where shapes or weights don't fit. */
  updateState(yTrue: TensorLike, yPred: TensorLike, options: UpdateOptions = {}): void {
    this.change(() => {
      const { topK, classId } = this.options;
      const confusion = confusionOf(
        this.name,
        toTensor(this.name, 'yTrue', yTrue),
        toTensor(this.name, 'yPred', yPred),
        { thresholds: this.#thresholds, topK, classId, weight: weightOf(this.name, options) },
      );
      this.truePositives.assign(add(this.truePositives, confusion.truePositives));
      this.missed.assign(add(this.missed, confusion[this.missedCell()]));
    });
  }

  /** One value per threshold; a scalar for a single threshold. */
  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() =>
      scalarOfOne(divideNoNaN(this.truePositives, add(this.truePositives, this.missed))),
    );
  }
}

/** The fraction of positive predictions that are true. State: true_positives, false_positives. */
export class Precision extends /* @__PURE__ */ metric<PrecisionRecallOptions, PositiveRate>(
  'Precision',
  PositiveRate,
  table,
) {
  protected missedCell() {
    return 'falsePositives' as const;
  }

  get falsePositives(): Variable {
    return this.missed;
  }
}

/** The fraction of true targets that are predicted positive. State: true_positives, false_negatives. */
export class Recall extends /* @__PURE__ */ metric<PrecisionRecallOptions, PositiveRate>(
  'Recall',
  PositiveRate,
  table,
) {
  protected missedCell() {
    return 'falseNegatives' as const;
  }

  get falseNegatives(): Variable {
    return this.missed;
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
export function requireClass(op: string, what: string, classId: unknown): void {
  if (Number.isInteger(classId) && (classId as number) >= 0) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is the number of a class, from 0 on.`,
    received: `${what}: ${describe(classId)}`,
    hint: 'leave it out for all classes.',
  });
}
