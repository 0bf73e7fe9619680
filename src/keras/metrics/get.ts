/** @file Metrics by name. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { foldName, suggestionFor } from '../../core/suggest.ts';
import type { OpenSpec } from '../../core/spec.ts';
import { Loss } from '../losses/loss.ts';
import { makerNamed } from '../makers.ts';
import type { RegisteredAs, Spelled } from '../nameTypes.ts';
import { customObjectOf, registeredAs } from '../serialization/registered.ts';
import {
  accuracy,
  accuracyFor,
  binaryAccuracy,
  categoricalAccuracy,
  sparseCategoricalAccuracy,
} from './accuracy.ts';
import {
  precisionAtRecall,
  recallAtPrecision,
  sensitivityAtSpecificity,
  specificityAtSensitivity,
} from './atValue.ts';
import { auc } from './auc.ts';
import type { MetricNames } from './classMaker.ts';
import { concordanceCorrelation, pearsonCorrelation } from './correlation.ts';
import { f1Score, fBetaScore } from './fScore.ts';
import { categoricalHinge, hinge, squaredHinge } from './hinge.ts';
import { binaryIoU, iou, meanIoU, oneHotIoU, oneHotMeanIoU } from './iou.ts';
import { mean, sum } from './mean.ts';
import { MeanMetricWrapper, meanMetricWrapper, type MetricFunction } from './meanMetricWrapper.ts';
import { Metric } from './metric.ts';
import { falseNegatives, falsePositives, trueNegatives, truePositives } from './positives.ts';
import { precision, recall } from './precisionRecall.ts';
import {
  binaryCrossentropy,
  categoricalCrossentropy,
  klDivergence,
  poisson,
  sparseCategoricalCrossentropy,
} from './probabilistic.ts';
import { r2Score } from './r2Score.ts';
import {
  cosineSimilarity,
  logCoshError,
  meanAbsoluteError,
  meanAbsolutePercentageError,
  meanSquaredError,
  meanSquaredLogarithmicError,
  rootMeanSquaredError,
} from './regression.ts';
import { sparseTopKCategoricalAccuracy, topKCategoricalAccuracy } from './topKAccuracy.ts';

const makers = {
  accuracy,
  binaryAccuracy,
  categoricalAccuracy,
  sparseCategoricalAccuracy,
  topKCategoricalAccuracy,
  sparseTopKCategoricalAccuracy,
  meanSquaredError,
  rootMeanSquaredError,
  meanAbsoluteError,
  meanAbsolutePercentageError,
  meanSquaredLogarithmicError,
  cosineSimilarity,
  logCoshError,
  r2Score,
  klDivergence,
  poisson,
  binaryCrossentropy,
  categoricalCrossentropy,
  sparseCategoricalCrossentropy,
  hinge,
  squaredHinge,
  categoricalHinge,
  precision,
  recall,
  f1Score,
  fBetaScore,
  auc,
  truePositives,
  trueNegatives,
  falsePositives,
  falseNegatives,
  sensitivityAtSpecificity,
  specificityAtSensitivity,
  precisionAtRecall,
  recallAtPrecision,
  iou,
  binaryIoU,
  meanIoU,
  oneHotIoU,
  oneHotMeanIoU,
  pearsonCorrelation,
  concordanceCorrelation,
  mean,
  sum,
  meanMetricWrapper,
};

const shortNames = ['mse', 'mae', 'mape', 'msle', 'rmse', 'bce', 'kld', 'acc'] as const;

type ShortName = (typeof shortNames)[number];

/** A name of a metric, or of one that the app registered. */
export type MetricName =
  | Spelled<keyof typeof makers>
  | ShortName
  | Uppercase<ShortName>
  | 'KLDivergence'
  | 'AUC'
  | 'IoU'
  | RegisteredAs<'metric'>;

/** A class by its name and its configuration, as files hold them. */
export interface MetricConfig {
  className: string;
  config?: Record<string, unknown>;
}

/** Identifies a metric; a maker is a function such as `metrics.meanSquaredError`. */
export type MetricLike =
  | MetricName
  | MetricFunction
  | { readonly names: MetricNames }
  | Metric
  | Loss
  | MetricConfig;

/** Specs of an output's targets and predictions; their shapes decide which accuracy 'accuracy' is. */
export interface MeasuredSpecs {
  yTrue: OpenSpec;
  yPred: OpenSpec;
}

/**
 * A metric by its name ('meanSquaredError', Keras's 'mean_squared_error', 'MeanSquaredError', or 'mse'), by the maker of
 * this folder, by a class, by a custom function, by a loss, or itself; also by a name that was registered with
 * `registerClass`. Its name in logs is the name that it was requested by. For 'accuracy' and 'acc' the specs of targets and
 * predictions decide which accuracy to use; without them it is plain equality.
 * Errors: ValueError for anything else.
 */
export function metricOf(identifier: MetricLike | string, specs?: MeasuredSpecs): Metric {
  if (identifier instanceof Metric) return identifier;
  if (typeof identifier === 'string') return namedMetric(identifier, specs);
  if (identifier instanceof Loss) return ofLoss(identifier);
  if (isMaker(identifier)) {
    const made = identifier() as Metric | Loss;
    return made instanceof Loss ? ofLoss(made) : made;
  }
  if (isClass(identifier)) return new identifier();
  if (typeof identifier === 'function') return new MeanMetricWrapper({ fn: identifier });
  if (isConfig(identifier)) return makeNamed(identifier.className, withoutDType(identifier));
  return reject(identifier);
}

/** Returns the mean of a loss's values over samples. */
function ofLoss(loss: Loss): Metric {
  return new MeanMetricWrapper({ name: loss.name, fn: (yTrue, yPred) => loss.values(yTrue, yPred) });
}

function namedMetric(name: string, specs?: MeasuredSpecs): Metric {
  const isAccuracy = ['accuracy', 'acc'].includes(foldName(name));
  if (!isAccuracy) return makeNamed(name, { name });
  return (specs ? accuracyFor(specs.yTrue, specs.yPred) : accuracy)({ name });
}

type Maker = ((options?: object) => Metric) & { readonly names: MetricNames };

function isMaker(identifier: object): identifier is Maker {
  return typeof identifier === 'function' && 'names' in identifier;
}

function isConfig(identifier: unknown): identifier is MetricConfig {
  return typeof (identifier as Partial<MetricConfig> | null)?.className === 'string';
}

/**
 * Files of Keras name the dtype of every metric. It is float32 here, or int32 for the counts of IoU; another is
 * rejected.
 */
function withoutDType({ className, config = {} }: MetricConfig): Record<string, unknown> {
  const { dtype, ...options } = config;
  if (className.endsWith('IoU') && /^u?int\d*$/.test(String(dtype))) return options;
  if (className.endsWith('IoU')) return config;
  return dtype === 'float32' ? options : config;
}

type MetricClass = new (options?: object) => Metric;

function isClass(identifier: unknown): identifier is MetricClass {
  return typeof identifier === 'function' && identifier.prototype instanceof Metric;
}

/** By the name of a class or function that the app registered, or of one of this folder. */
function makeNamed(name: string, config?: object): Metric {
  const found = customObjectOf(name) ?? builtIn(name) ?? registeredAs(name);
  if (!found) return reject(name);
  if (isClass(found)) return new found(config);
  if (isMaker(found)) return found(config);
  return new MeanMetricWrapper({ ...config, fn: found as unknown as MetricFunction });
}

function builtIn(name: string): Maker | null {
  return makerNamed(Object.values(makers) as unknown as Maker[], name);
}

function reject(identifier: unknown): never {
  throw new ValueError({
    op: 'metricOf',
    rule: `a metric is one of ${[...Object.keys(makers), ...shortNames].join(', ')}; a Metric; a Loss; or a function of yTrue and yPred.`,
    received: describe(identifier),
    hint: suggestionFor(
      identifier,
      [...Object.keys(makers), ...shortNames],
      "pass a name such as 'accuracy', or (yTrue, yPred) => mean(square(sub(yTrue, yPred)), { axis: -1 }). A class of yours needs a name first: registerClass(MyMetric, { package: 'my_package' }).",
    ),
  });
}
