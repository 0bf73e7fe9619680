/** @file FBetaScore and F1Score: precision and recall in one number. */
import { rejectExtraArguments } from '../../core/options.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatSpec, type OpenSpec } from '../../core/spec.ts';
import { abs } from '../../ops/elementwise/rounding.ts';
import { add, div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { greater, greaterEqual } from '../../ops/elementwise/comparison.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { logicalAnd } from '../../ops/elementwise/logical.ts';
import { mean } from '../../ops/reductions/mean.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { sum } from '../../ops/reductions/sum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { epsilon } from '../epsilon.ts';
import { requireNumber } from '../losses/lossChecks.ts';
import { toTensor } from '../losses/lossInputs.ts';
import { type ClassMaker, classMaker } from './classMaker.ts';
import { checked, metric, oneOf, type Values } from './declare.ts';
import { type Direction, Metric, type MetricOptions, type UpdateOptions } from './metric.ts';
import { stretched, weightOf } from './sampleWeights.ts';

export interface F1ScoreOptions extends MetricOptions {
  /**
   * The average of the scores of classes: 'micro' counts over all classes, 'macro' takes their mean, 'weighted' weights them
   * by how often they are true. Null, the default, leaves one score per class.
   */
  average?: 'micro' | 'macro' | 'weighted' | null;
  /** Predictions above it are positive; in (0, 1]. Null, the default: the largest prediction of a sample is positive. */
  threshold?: number | null;
}

export interface FBetaScoreOptions extends F1ScoreOptions {
  /** Weight of recall relative to precision. Default 1. */
  beta?: number;
}

const scoreTable = () => ({
  average: oneOf(['micro', 'macro', 'weighted'], null),
  threshold: checked((op, what, value) => requireNumber(op, what, value, { above: 0, max: 1 }), null),
});

const stateNames = ['true_positives', 'false_positives', 'false_negatives', 'intermediate_weights'];

/**
 * The weighted harmonic mean of precision and recall: (1 + β²)·P·R / (β²·P + R). For yTrue and yPred of shape
 * [batch, classes]. State: true_positives, false_positives, false_negatives, intermediate_weights.
 */
export class FBetaScore extends /* @__PURE__ */ metric<FBetaScoreOptions, Metric>(
  'FBetaScore',
  Metric,
  () => ({
    ...scoreTable(),
    beta: checked((op, what, value) => requireNumber(op, what, value, { above: 0 }), 1),
  }),
  'fbeta_score',
) {
  declare protected readonly options: Values<FBetaScoreOptions>;

  override get direction(): Direction {
    return 'up';
  }

  override build(yTrue: OpenSpec, yPred: OpenSpec): void {
    requireClasses(this.name, yTrue, yPred);
    if (this.variables.length > 0) return;
    const shape = this.options.average === 'micro' ? [] : [yPred.shape[1] as number];
    for (const name of stateNames) this.addVariable(name, shape);
  }

  /** Errors: ShapeError where shapes or weights don't fit. */
  updateState(yTrue: TensorLike, yPred: TensorLike, options: UpdateOptions = {}): void {
    this.change(() => {
      const [t, given] = [toTensor(this.name, 'yTrue', yTrue), toTensor(this.name, 'yPred', yPred)];
      this.build(t, given);
      const p = cast(this.#positive(given), 'float32');
      const weight = weightOf(this.name, options);
      const axis = this.options.average === 'micro' ? null : 0;
      const total = (x: Tensor) => sum(weight ? mul(x, stretched(this.name, weight, x)) : x, { axis });
      const added = [mul(p, t), mul(p, sub(1, t)), mul(sub(1, p), t), t].map(total);
      this.variables.forEach((variable, i) => {
        variable.assign(add(variable, added[i] as Tensor));
      });
    });
  }

  /** One score, or one per class if nothing is averaged. 0 before the first update. */
  result(...extra: never[]): Tensor {
    rejectExtraArguments('result', extra, []);
    return this.compute(() => {
      if (this.variables.length === 0) return mul(0, 1);
      const { average, beta = 1 } = this.options;
      const [hits, alarms, misses, support] = this.variables as readonly Tensor[] as [
        Tensor,
        Tensor,
        Tensor,
        Tensor,
      ];
      const precision = div(hits, add(add(hits, alarms), epsilon));
      const recall = div(hits, add(add(hits, misses), epsilon));
      const mixed = add(mul(precision, beta ** 2), recall);
      const scores = mul(div(mul(precision, recall), add(mixed, epsilon)), 1 + beta ** 2);
      if (average === 'weighted') return sum(mul(scores, div(support, add(sum(support), epsilon))));
      return average === null ? scores : mean(scores);
    });
  }

  /** Returns where predictions are positive. A sample of zeros has no largest. */
  #positive(yPred: Tensor): Tensor {
    const { threshold } = this.options;
    if (threshold !== null) return greater(yPred, threshold);
    const largest = max(yPred, { axis: -1, keepDims: true });
    return logicalAnd(greaterEqual(yPred, largest), greater(abs(yPred), 1e-9));
  }
}

/** The harmonic mean of precision and recall: 2·P·R / (P + R). */
export class F1Score extends /* @__PURE__ */ metric<F1ScoreOptions, FBetaScore>(
  'F1Score',
  FBetaScore,
  scoreTable,
  'f1_score',
) {}

/**
 * The weighted harmonic mean of precision and recall: recall counts `beta` times as much. Shapes: [batch, classes].
 * Errors: ShapeError, ValueError for options.
 */
export const fBetaScore: ClassMaker<[options?: FBetaScoreOptions], FBetaScore> = /* @__PURE__ */ classMaker(
  FBetaScore,
  { label: 'fbeta_score' },
);
/** The harmonic mean of precision and recall. Shapes: [batch, classes]. Errors: ShapeError, ValueError for options. */
export const f1Score: ClassMaker<[options?: F1ScoreOptions], F1Score> = /* @__PURE__ */ classMaker(F1Score);

function requireClasses(op: string, yTrue: OpenSpec, yPred: OpenSpec): void {
  const fits = (spec: OpenSpec) => spec.shape.length === 2 && spec.shape[1] !== null;
  if (fits(yTrue) && fits(yPred) && yTrue.shape[1] === yPred.shape[1]) return;
  throw new ShapeError({
    op,
    rule: 'targets and predictions are [batch, classes], the targets as 0 and 1.',
    received: `yTrue ${formatSpec(yTrue)}, yPred ${formatSpec(yPred)}`,
    hint: 'encode labels by oneHot(labels, { depth: classes }).',
  });
}
