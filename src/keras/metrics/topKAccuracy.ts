/** @file How often the true class is among the k largest predictions. */
import { requireInteger } from '../../core/shape.ts';
import { argMax } from '../../ops/argExtrema.ts';
import { cast } from '../../ops/cast.ts';
import { greater, less } from '../../ops/comparison.ts';
import { logicalAnd } from '../../ops/logical.ts';
import { oneHot } from '../../ops/oneHot.ts';
import { isFinite as finite } from '../../ops/predicates.ts';
import { sum } from '../../ops/sum.ts';
import { where } from '../../ops/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { requireMinRank, requireSame } from '../losses/lossChecks.ts';
import { labelsOf } from '../losses/labels.ts';
import { defineMetric, type MetricMaker } from './defineMetric.ts';

/** Options of the accuracies among the k best classes. */
export interface TopKAccuracyOptions {
  /** Number of top predictions. Default 5. */
  k?: number;
}

/** How often the true class is among the `k` largest predictions; yTrue is one-hot. State: total, count. */
export const topKCategoricalAccuracy: MetricMaker<TopKAccuracyOptions> =
  /* @__PURE__ */ defineMetric<TopKAccuracyOptions>({
    className: 'TopKCategoricalAccuracy',
    defaults: { k: 5 },
    direction: 'up',
    prepare: ({ k }, op) => {
      requireInteger(op, 'k', k, 1);
      return (yTrue, yPred) => {
        requireMinRank(op, yPred, 1);
        requireSame(op, ['`yTrue`', yTrue], ['`yPred`', yPred]);
        return inTopK(argMax(yTrue, { axis: -1 }), yPred, k);
      };
    },
  });

/** How often the true class is among the `k` largest predictions; yTrue holds class numbers. State: total, count. */
export const sparseTopKCategoricalAccuracy: MetricMaker<TopKAccuracyOptions> =
  /* @__PURE__ */ defineMetric<TopKAccuracyOptions>({
    className: 'SparseTopKCategoricalAccuracy',
    defaults: { k: 5 },
    direction: 'up',
    targets: 'int32',
    prepare: ({ k }, op) => {
      requireInteger(op, 'k', k, 1);
      return (yTrue, yPred) => {
        requireMinRank(op, yPred, 1);
        return inTopK(labelsOf(op, yTrue, yPred, -1), yPred, k);
      };
    },
  });

/**
 * 1 where fewer than k predictions exceed that of the label, so that ties share a rank; 0 elsewhere, and for a label outside
 * of the classes.
 */
function inTopK(labels: Tensor, yPred: Tensor, k: number): Tensor {
  const classes = yPred.shape.at(-1) as number;
  const chosen = oneHot(labels, { depth: classes, dtype: 'bool' });
  const own = sum(where(chosen, yPred, 0), { axis: -1, keepDims: true });
  const above = sum(cast(greater(yPred, own), 'float32'), { axis: -1 });
  const isClass = sum(cast(logicalAnd(chosen, finite(yPred)), 'float32'), { axis: -1 });
  return cast(logicalAnd(less(above, k), greater(isClass, 0)), 'float32');
}
