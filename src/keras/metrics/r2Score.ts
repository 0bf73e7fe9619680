/** @file R2Score: the fraction of the targets' variance that predictions explain. */
import { rejectExtraArguments } from '../../core/options.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatSpec, type OpenSpec } from '../../core/spec.ts';
import { add, div, mul, squaredDifference, sub } from '../../ops/elementwise/arithmetic.ts';
import { equal, greater } from '../../ops/elementwise/comparison.ts';
import { ones } from '../../ops/creation/creation.ts';
import { mean } from '../../ops/reductions/mean.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { sameRank, toTensor } from '../losses/lossInputs.ts';
import { type ClassMaker, classMaker } from './classMaker.ts';
import { integer, metric, nullable, oneOf, type Values } from './declare.ts';
import { divideNoNaN } from './mean.ts';
import { type Direction, Metric, type MetricOptions, type UpdateOptions } from './metric.ts';
import { stretched, weightOf } from './sampleWeights.ts';

export interface R2ScoreOptions extends MetricOptions {
  /** The combination of the scores of columns; null keeps them separate. Default 'uniform_average'. */
  classAggregation?: 'uniform_average' | 'variance_weighted_average' | null;
  /** Number of independent regressors, for the adjusted score. Default 0: not adjusted. */
  numRegressors?: number;
}

/**
 * 1 - Σ (yTrue - yPred)² / Σ (yTrue - mean)², for yTrue and yPred of shape [batch, columns]. A column without variance
 * scores 0. State: num_samples, squared_sum, sum, residual, count.
 */
export class R2Score extends /* @__PURE__ */ metric<R2ScoreOptions, Metric>(
  'R2Score',
  Metric,
  () => ({
    classAggregation: nullable(oneOf(['uniform_average', 'variance_weighted_average'], 'uniform_average')),
    numRegressors: integer({ min: 0, default: 0 }),
  }),
  'r2_score',
) {
  declare protected readonly options: Values<R2ScoreOptions>;
  readonly numSamples: Variable = this.addVariable('num_samples');

  override get direction(): Direction {
    return 'up';
  }

  override build(yTrue: OpenSpec, yPred: OpenSpec): void {
    requireColumns(this.name, yTrue, yPred);
    if (this.variables.length > 1) return;
    for (const name of ['squared_sum', 'sum', 'residual', 'count']) {
      this.addVariable(name, [yPred.shape[1] as number]);
    }
  }

  /** Errors: ShapeError where shapes or weights don't fit. */
  updateState(yTrue: TensorLike, yPred: TensorLike, options: UpdateOptions = {}): void {
    this.change(() => {
      const [t, p] = sameRank(toTensor(this.name, 'yTrue', yTrue), toTensor(this.name, 'yPred', yPred));
      this.build(t, p);
      const weight = weightOf(this.name, options);
      const weights = weight ? stretched(this.name, weight, t) : ones(t.shape);
      const weighted = mul(t, weights);
      const added = [mul(t, weighted), weighted, mul(squaredDifference(t, p), weights), weights];
      this.numSamples.assign(add(this.numSamples, t.size));
      this.variables.slice(1).forEach((variable, i) => {
        variable.assign(add(variable, sum(added[i] as Tensor, { axis: 0 })));
      });
    });
  }

  /** One score, or one per column if they aren't aggregated. 0 before the first update. */
  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => {
      const [, squares, total, residual, count] = this.variables as readonly Tensor[];
      if (!squares || !total || !residual || !count) return mul(this.numSamples, 0);
      const variance = sub(squares, mul(total, divideNoNaN(total, count)));
      const flat = equal(variance, 0);
      const scores = where(flat, 0, sub(1, div(residual, where(flat, 1, variance))));
      return this.#adjusted(this.#aggregated(scores, variance));
    });
  }

  #aggregated(scores: Tensor, variance: Tensor): Tensor {
    const { classAggregation } = this.options;
    if (classAggregation === null) return scores;
    if (classAggregation === 'uniform_average') return mean(scores);
    return divideNoNaN(sum(mul(variance, scores)), sum(variance));
  }

  /** Returns the score, adjusted for the regressors if there are enough samples. */
  #adjusted(score: Tensor): Tensor {
    const { numRegressors } = this.options;
    if (numRegressors === 0) return score;
    const freedom = sub(this.numSamples, numRegressors + 1);
    const isEnough = greater(freedom, 0);
    const rest = mul(sub(1, score), div(sub(this.numSamples, 1), where(isEnough, freedom, 1)));
    return where(isEnough, sub(1, rest), score);
  }
}

/**
 * R², the fraction of the targets' variance that predictions explain. Shapes: [batch, outputs], float32. Errors:
 * ShapeError, ValueError for options.
 */
export const r2Score: ClassMaker<[options?: R2ScoreOptions], R2Score> = /* @__PURE__ */ classMaker(R2Score);

function requireColumns(op: string, yTrue: OpenSpec, yPred: OpenSpec): void {
  const fits = (spec: OpenSpec) => spec.shape.length === 2 && spec.shape[1] !== null;
  if (fits(yTrue) && fits(yPred) && yTrue.shape[1] === yPred.shape[1]) return;
  throw new ShapeError({
    op,
    rule: 'targets and predictions are [batch, columns].',
    received: `yTrue ${formatSpec(yTrue)}, yPred ${formatSpec(yPred)}`,
    hint: 'expandDims(x, { axis: -1 }) makes a column of a vector.',
  });
}
