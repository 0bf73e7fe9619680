/** @file Mean and Sum: of values, over batches. */
import { add, div, mul } from '../../ops/elementwise/arithmetic.ts';
import { equal } from '../../ops/elementwise/comparison.ts';
import { mean as meanOf } from '../../ops/reductions/mean.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { sum as sumOf } from '../../ops/reductions/sum.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { toTensor } from '../losses/lossInputs.ts';
import { type ClassMaker, classMaker } from './classMaker.ts';
import { metric } from './declare.ts';
import { Metric, type MetricOptions, type UpdateOptions } from './metric.ts';
import { rejectExtraArguments } from '../../core/options.ts';
import { reduceToSamples, weightOf } from './sampleWeights.ts';

/** A total and a count, and their quotient. */
export abstract class Averaging<
  Inputs extends readonly unknown[] = [yTrue: TensorLike, yPred: TensorLike],
> extends Metric<Inputs> {
  readonly total: Variable = this.addVariable('total');
  readonly count: Variable = this.addVariable('count');

  /** Returns the total over the count; 0 before the first update. */
  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => divideNoNaN(this.total, this.count));
  }

  /** Adds `values`, of shape [batch, ...]. For use within `change`. */
  protected accumulate(given: Tensor, weight: Tensor | null): void {
    const { values, weights } = reduceToSamples(this.name, given, weight, meanOf);
    this.total.assign(add(this.total, sumOf(values)));
    this.count.assign(add(this.count, weights ? sumOf(weights) : (values.shape[0] ?? 1)));
  }
}

/** The weighted mean of values. State: total, count. */
export class Mean extends /* @__PURE__ */ metric<MetricOptions, Averaging<[values: TensorLike]>>(
  'Mean',
  Averaging,
  () => ({}),
  'mean',
) {
  /**
   * Adds values, of shape [batch, ...] or a scalar.
   * Errors: ShapeError where weights don't fit.
   */
  updateState(values: TensorLike, options: UpdateOptions = {}): void {
    this.change(() => {
      this.accumulate(toTensor(this.name, 'values', values), weightOf(this.name, options));
    });
  }
}

/** The weighted sum of values. State: total. */
export class Sum extends /* @__PURE__ */ metric<MetricOptions, Metric<[values: TensorLike]>>(
  'Sum',
  Metric,
  () => ({}),
  'sum',
) {
  readonly total: Variable = this.addVariable('total');

  /** Adds values of any shape. Errors: ShapeError where weights don't fit. */
  updateState(values: TensorLike, options: UpdateOptions = {}): void {
    this.change(() => {
      const weight = weightOf(this.name, options);
      const samples = reduceToSamples(this.name, toTensor(this.name, 'values', values), weight, sumOf);
      this.total.assign(add(this.total, sumOf(samples.values)));
    });
  }

  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    // A copy: a tensor that shared the state would keep captured updates from writing it.
    return this.compute(() => mul(this.total, 1));
  }
}

/**
 * The weighted mean of values of any shape, over all updates. `updateState(values, { sampleWeight })`. Errors:
 * ShapeError for weights that don't fit.
 */
export const mean: ClassMaker<[options?: MetricOptions], Mean> = /* @__PURE__ */ classMaker(Mean);
/** The weighted sum of values of any shape, over all updates. Errors: ShapeError for weights that don't fit. */
export const sum: ClassMaker<[options?: MetricOptions], Sum> = /* @__PURE__ */ classMaker(Sum);

/** x / y, and 0 where y is 0. */
export function divideNoNaN(x: Tensor, y: Tensor): Tensor {
  const isZero = equal(y, 0);
  return where(isZero, 0, div(x, where(isZero, 1, y)));
}
