/** @file Means of losses of probabilities, over batches; see the losses of the same names. */
import { binaryCrossentropy as binaryLoss } from '../losses/binaryCrossentropy.ts';
import {
  categoricalCrossentropy as categoricalLoss,
  type CategoricalCrossentropyOptions,
} from '../losses/categoricalCrossentropy.ts';
import { klDivergence as divergenceLoss, poisson as poissonLoss } from '../losses/probabilistic.ts';
import {
  sparseCategoricalCrossentropy as sparseLoss,
  type SparseCategoricalCrossentropyOptions,
} from '../losses/sparseCategoricalCrossentropy.ts';
import { meanOfLoss, type MetricMaker } from './defineMetric.ts';

/** The mean of Σ yTrue·log(yTrue / yPred). State: total, count. */
export const klDivergence: MetricMaker = /* @__PURE__ */ meanOfLoss(
  { className: 'KLDivergence', aliases: ['kld', 'kullback_leibler_divergence'] },
  divergenceLoss,
);

/** The mean of yPred - yTrue·log(yPred). State: total, count. */
export const poisson: MetricMaker = /* @__PURE__ */ meanOfLoss({ className: 'Poisson' }, poissonLoss);

/** Options of `binaryCrossentropy`. */
export interface BinaryCrossentropyMetricOptions {
  /** Whether yPred holds logits. Default false. */
  fromLogits?: boolean;
  /** In [0, 1]: moves targets towards 1/2 by this fraction. Default 0. */
  labelSmoothing?: number;
}

/** The mean of -yTrue·log(p) - (1 - yTrue)·log(1 - p). State: total, count. */
export const binaryCrossentropy: MetricMaker<BinaryCrossentropyMetricOptions> =
  /* @__PURE__ */ meanOfLoss<BinaryCrossentropyMetricOptions>(
    { className: 'BinaryCrossentropy', aliases: ['bce'] },
    binaryLoss,
    { fromLogits: false, labelSmoothing: 0 },
  );

/** The mean of -Σ yTrue·log(p), of targets that are one-hot or probabilities. State: total, count. */
export const categoricalCrossentropy: MetricMaker<CategoricalCrossentropyOptions> =
  /* @__PURE__ */ meanOfLoss<CategoricalCrossentropyOptions>(
    { className: 'CategoricalCrossentropy' },
    categoricalLoss,
    { fromLogits: false, labelSmoothing: 0, axis: -1 },
  );

/** Options of `sparseCategoricalCrossentropy`. */
export type SparseCrossentropyMetricOptions = SparseCategoricalCrossentropyOptions;

/**
 * The mean of -log(p) of the class that yTrue names by its number. Samples of the label `ignoreClass` have the value 0; in a
 * weighted mean, they don't count, as in Keras. State: total, count.
 */
export const sparseCategoricalCrossentropy: MetricMaker<SparseCrossentropyMetricOptions> =
  /* @__PURE__ */ meanOfLoss<SparseCrossentropyMetricOptions>(
    { className: 'SparseCategoricalCrossentropy' },
    sparseLoss,
    { fromLogits: false, ignoreClass: null, axis: -1 },
  );
