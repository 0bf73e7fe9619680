/** @file True and false positives and negatives, by number or by weight. */
import { rejectExtraArguments } from '../../core/options.ts';
import { add, mul } from '../../ops/arithmetic.ts';
import type { TensorLike } from '../../ops/operands.ts';
import { reshape } from '../../ops/reshape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { toTensor } from '../losses/lossInputs.ts';
import { type ClassMaker, classMaker, metricOptions, settingsOf } from './classMaker.ts';
import { type Confusion, confusionOf, requireThresholds, type Thresholds } from './confusion.ts';
import { Metric, type MetricOptions, type UpdateOptions } from './metric.ts';
import { weightOf } from './sampleWeights.ts';

/** Options of the counts of positives and negatives. */
export interface CountOptions extends MetricOptions {
  /** Predictions above it are positive: a number in [0, 1], or a list with one count per threshold. Default 0.5. */
  thresholds?: number | readonly number[] | null;
}

/** Counts one of the four cells of a confusion. State: accumulator. */
abstract class CellCount extends Metric {
  readonly #given: number | readonly number[] | null;
  readonly #thresholds: Thresholds;
  readonly accumulator: Variable;

  /** Errors: ValueError for thresholds that aren't in [0, 1]. */
  constructor(all: CountOptions = {}) {
    const { name, ...given } = settingsOf(new.target.className, all);
    const options = metricOptions<CountOptions>(name ?? 'metric', given, {
      thresholds: null,
    } as Required<CountOptions>);
    const values = requireThresholds(name ?? 'metric', options.thresholds, 0.5);
    super(name === undefined ? {} : { name });
    this.#given = options.thresholds;
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
      this.accumulator.assign(add(this.accumulator, this.cell(confusion)));
    });
  }

  /** One value per threshold; a scalar for a single threshold. */
  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => scalarOfOne(mul(this.accumulator, 1)));
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), thresholds: this.#given };
  }

  protected abstract cell(confusion: Confusion): Tensor;
}

/** How often a true target is predicted above the threshold. */
export class TruePositives extends CellCount {
  static override readonly className: string = 'TruePositives';
  protected cell(confusion: Confusion): Tensor {
    return confusion.truePositives;
  }
}

/** How often a target that isn't true is predicted above the threshold. */
export class FalsePositives extends CellCount {
  static override readonly className: string = 'FalsePositives';
  protected cell(confusion: Confusion): Tensor {
    return confusion.falsePositives;
  }
}

/** How often a target that isn't true is predicted at the threshold or below. */
export class TrueNegatives extends CellCount {
  static override readonly className: string = 'TrueNegatives';
  protected cell(confusion: Confusion): Tensor {
    return confusion.trueNegatives;
  }
}

/** How often a true target is predicted at the threshold or below. */
export class FalseNegatives extends CellCount {
  static override readonly className: string = 'FalseNegatives';
  protected cell(confusion: Confusion): Tensor {
    return confusion.falseNegatives;
  }
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
