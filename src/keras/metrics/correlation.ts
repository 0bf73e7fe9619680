/** @file Correlations between predictions and targets. */
import { normalizeAxis } from '../../core/shape.ts';
import { add, div, mul, squaredDifference, sub } from '../../ops/elementwise/arithmetic.ts';
import { mean } from '../../ops/reductions/mean.ts';
import { sqrt, square } from '../../ops/elementwise/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { requireSame } from '../losses/lossChecks.ts';
import { sameRank } from '../losses/lossInputs.ts';
import { epsilon } from '../epsilon.ts';
import { defineMetric, type MetricMaker } from './defineMetric.ts';

/** Options of the correlations. */
export interface CorrelationOptions {
  /** The axis along which values correlate. Default -1. */
  axis?: number;
}

/** The mean of Pearson's correlation coefficient along `axis`; NaN for values that are all equal. State: total, count. */
export const pearsonCorrelation: MetricMaker<CorrelationOptions> =
  /* @__PURE__ */ defineMetric<CorrelationOptions>({
    className: 'PearsonCorrelation',
    defaults: { axis: -1 },
    direction: 'up',
    prepare:
      ({ axis }, op) =>
      (yTrue, yPred) => {
        const [targets, predictions] = aligned(op, yTrue, yPred, axis);
        return mean(mul(standardized(targets, axis), standardized(predictions, axis)), { axis });
      },
  });

/**
 * The mean of Lin's concordance correlation coefficient along `axis`: 2·covariance / (variances + (difference of means)²).
 * Source: Lin, A concordance correlation coefficient to evaluate reproducibility, 1989. State: total, count.
 */
export const concordanceCorrelation: MetricMaker<CorrelationOptions> =
  /* @__PURE__ */ defineMetric<CorrelationOptions>({
    className: 'ConcordanceCorrelation',
    defaults: { axis: -1 },
    direction: 'up',
    prepare:
      ({ axis }, op) =>
      (yTrue, yPred) => {
        const [targets, predictions] = aligned(op, yTrue, yPred, axis);
        const [t, p] = [centered(targets, axis), centered(predictions, axis)];
        const variances = add(variance(t.values, axis), variance(p.values, axis));
        const spread = add(variances, squaredDifference(t.center, p.center));
        return mean(div(mul(2, mul(t.values, p.values)), add(spread, epsilon)), { axis });
      },
  });

function centered(x: Tensor, axis: number): { values: Tensor; center: Tensor } {
  const center = mean(x, { axis, keepDims: true });
  return { values: sub(x, center), center };
}

/** Returns the variance of values with mean 0. */
function variance(values: Tensor, axis: number): Tensor {
  return mean(square(values), { axis, keepDims: true });
}

function standardized(x: Tensor, axis: number): Tensor {
  const { values } = centered(x, axis);
  return div(values, sqrt(variance(values, axis)));
}

function aligned(op: string, yTrue: Tensor, yPred: Tensor, axis: number): [Tensor, Tensor] {
  const [targets, predictions] = sameRank(yTrue, yPred);
  requireSame(op, ['`yTrue`', targets], ['`yPred`', predictions]);
  normalizeAxis(op, axis, predictions.rank);
  return [targets, predictions];
}
