/** @file The metrics. */

// Means and sums
export { Mean, mean, Sum, sum } from './mean.ts';
export {
  MeanMetricWrapper,
  meanMetricWrapper,
  type MetricFunction,
  type WrapperOptions,
} from './meanMetricWrapper.ts';
// Accuracy
export {
  accuracy,
  binaryAccuracy,
  type BinaryAccuracyOptions,
  categoricalAccuracy,
  sparseCategoricalAccuracy,
} from './accuracy.ts';
// Regression
export {
  cosineSimilarity,
  logCoshError,
  meanAbsoluteError,
  meanAbsolutePercentageError,
  meanSquaredError,
  meanSquaredLogarithmicError,
  rootMeanSquaredError,
} from './regression.ts';
// Metrics of your own, and metrics by name
export { type Direction, Metric, type MetricOptions, type UpdateOptions } from './metric.ts';
export type { MetricClassMaker, MetricMaker, MetricNames } from './define.ts';
export { type MeasuredSpecs, type MetricConfig, type MetricLike, type MetricName, metricOf } from './get.ts';
