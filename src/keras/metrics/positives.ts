/** @file True and false positives and negatives, by number or by weight. */
import { rejectExtraArguments } from '../../core/options.ts';
import { add, mul } from '../../ops/elementwise/arithmetic.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { toTensor } from '../losses/lossInputs.ts';
import { type ClassMaker, classMaker } from './classMaker.ts';
import { metric, type Values } from './declare.ts';
import {
  type Confusion,
  confusionOf,
  givenThresholds,
  requireThresholds,
  type Thresholds,
} from './confusion.ts';
import { Metric, type MetricOptions, type UpdateOptions } from './metric.ts';
import { weightOf } from './sampleWeights.ts';

/** Options of the counts of positives and negatives. */
export interface CountOptions extends MetricOptions {
  /** Predictions above it are positive: a number in [0, 1], or a list with one count per threshold. Default 0.5. */
  thresholds?: number | readonly number[] | null;
}

const table = () => ({ thresholds: givenThresholds() });

/** Counts one of the four cells of a confusion. State: accumulator. */
abstract class CellCount extends Metric {
  declare protected readonly options: Values<CountOptions>;
  readonly #thresholds: Thresholds;
  readonly accumulator: Variable;
  /** The cell that it counts. */
  protected abstract readonly cell: keyof Confusion;

  /** Errors: ValueError for thresholds that aren't in [0, 1]. */
  constructor(given: CountOptions) {
    super(given);
    const values = requireThresholds(this.name, this.options.thresholds, 0.5);
    this.#thresholds = { values, onDevice: this.addConstant([...values]) };
    this.accumulator = this.addVariable('accumulator', [values.length]);
  }

  updateState(yTrue: TensorLike, yPred: TensorLike, options: UpdateOptions = {}): void {
    this.change(() => {
      const confusion = confusionOf(
        this.name,
        toTensor(this.name, 'yTrue', yTrue),
        toTensor(this.name, 'yPred', yPred),
        { thresholds: this.#thresholds, weight: weightOf(this.name, options) },
      );
      this.accumulator.assign(add(this.accumulator, confusion[this.cell]));
    });
  }

  /** One value per threshold; a scalar for a single threshold. */
  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => scalarOfOne(mul(this.accumulator, 1)));
  }
}

/** How often a true target is predicted above the threshold. */
export class TruePositives extends /* @__PURE__ */ metric<CountOptions, CellCount>(
  'TruePositives',
  CellCount,
  table,
) {
  protected readonly cell = 'truePositives';
}

/** How often a target that isn't true is predicted above the threshold. */
export class FalsePositives extends /* @__PURE__ */ metric<CountOptions, CellCount>(
  'FalsePositives',
  CellCount,
  table,
) {
  protected readonly cell = 'falsePositives';
}

/** How often a target that isn't true is predicted at the threshold or below. */
export class TrueNegatives extends /* @__PURE__ */ metric<CountOptions, CellCount>(
  'TrueNegatives',
  CellCount,
  table,
) {
  protected readonly cell = 'trueNegatives';
}

/** How often a true target is predicted at the threshold or below. */
export class FalseNegatives extends /* @__PURE__ */ metric<CountOptions, CellCount>(
  'FalseNegatives',
  CellCount,
  table,
) {
  protected readonly cell = 'falseNegatives';
}

type CountMaker<M> = ClassMaker<[options?: CountOptions], M>;

/**
 * How many positives were predicted positive. Targets and predictions of one shape, by thresholds. Errors: ShapeError,
 * ValueError for thresholds outside [0, 1].
 */
export const truePositives: CountMaker<TruePositives> = /* @__PURE__ */ classMaker(TruePositives);
/**
 * How many negatives were predicted positive. Targets and predictions of one shape, by thresholds. Errors: ShapeError,
 * ValueError for thresholds outside [0, 1].
 */
export const falsePositives: CountMaker<FalsePositives> = /* @__PURE__ */ classMaker(FalsePositives);
/**
 * How many negatives were predicted negative. Targets and predictions of one shape, by thresholds. Errors: ShapeError,
 * ValueError for thresholds outside [0, 1].
 */
export const trueNegatives: CountMaker<TrueNegatives> = /* @__PURE__ */ classMaker(TrueNegatives);
/**
 * How many positives were predicted negative. Targets and predictions of one shape, by thresholds. Errors: ShapeError,
 * ValueError for thresholds outside [0, 1].
 */
export const falseNegatives: CountMaker<FalseNegatives> = /* @__PURE__ */ classMaker(FalseNegatives);

/** The scalar in a vector of one; a longer vector as it is. */
export function scalarOfOne(x: Tensor): Tensor {
  return x.size === 1 ? reshape(x, { shape: [] }) : x;
}
