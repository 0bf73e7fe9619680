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
export {
  sparseTopKCategoricalAccuracy,
  type TopKAccuracyOptions,
  topKCategoricalAccuracy,
} from './topKAccuracy.ts';
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
export { R2Score, r2Score, type R2ScoreOptions } from './r2Score.ts';
export { concordanceCorrelation, type CorrelationOptions, pearsonCorrelation } from './correlation.ts';
// Probabilities
export {
  binaryCrossentropy,
  type BinaryCrossentropyMetricOptions,
  categoricalCrossentropy,
  klDivergence,
  poisson,
  sparseCategoricalCrossentropy,
  type SparseCrossentropyMetricOptions,
} from './probabilistic.ts';
// Margins
export { categoricalHinge, hinge, squaredHinge } from './hinge.ts';
// Positives and negatives
export {
  type CountOptions,
  FalseNegatives,
  falseNegatives,
  FalsePositives,
  falsePositives,
  TrueNegatives,
  trueNegatives,
  TruePositives,
  truePositives,
} from './positives.ts';
export { Precision, precision, type PrecisionRecallOptions, Recall, recall } from './precisionRecall.ts';
export {
  F1Score,
  f1Score,
  type F1ScoreOptions,
  FBetaScore,
  fBetaScore,
  type FBetaScoreOptions,
} from './fScore.ts';
// Curves
export { AUC, auc, type AUCOptions } from './auc.ts';
export {
  type AtValueOptions,
  PrecisionAtRecall,
  precisionAtRecall,
  type PrecisionAtRecallOptions,
  RecallAtPrecision,
  recallAtPrecision,
  type RecallAtPrecisionOptions,
  SensitivityAtSpecificity,
  sensitivityAtSpecificity,
  type SensitivityAtSpecificityOptions,
  SpecificityAtSensitivity,
  specificityAtSensitivity,
  type SpecificityAtSensitivityOptions,
} from './atValue.ts';
// Segmentation
export {
  BinaryIoU,
  binaryIoU,
  type BinaryIoUOptions,
  IoU,
  iou,
  type IoUOptions,
  MeanIoU,
  meanIoU,
  type MeanIoUOptions,
  OneHotIoU,
  oneHotIoU,
  type OneHotIoUOptions,
  OneHotMeanIoU,
  oneHotMeanIoU,
  type OneHotMeanIoUOptions,
} from './iou.ts';
// Metrics of your own, and metrics by name
export { type Direction, Metric, type MetricOptions, type UpdateOptions } from './metric.ts';
export type { ClassMaker, MetricNames } from './classMaker.ts';
export type { MetricMaker } from './defineMetric.ts';
export { type MeasuredSpecs, type MetricConfig, type MetricLike, type MetricName, metricOf } from './get.ts';
