/** @file How often the true class is among the k largest predictions. */
import { requireBoolean, requireInteger } from '../../core/shape.ts';
import { any } from '../../ops/reductions/anyAll.ts';
import { argMax } from '../../ops/reductions/argExtrema.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { equal, greater, less } from '../../ops/elementwise/comparison.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { logicalAnd } from '../../ops/elementwise/logical.ts';
import { oneHot } from '../../ops/indexing/oneHot.ts';
import { isFinite as finite } from '../../ops/elementwise/predicates.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { requireMinRank, requireSame } from '../losses/lossChecks.ts';
import { labelsOf } from '../losses/labels.ts';
import { defineMetric, type MetricMaker } from './defineMetric.ts';

/** Options of the accuracies among the k best classes. */
export interface TopKAccuracyOptions {
  /** Number of top predictions. Default 5. */
  k?: number;
}

/** Options of `sparseTopKCategoricalAccuracy`. */
export interface SparseTopKAccuracyOptions extends TopKAccuracyOptions {
  /** Whether yPred holds class numbers instead, in descending order of their predictions. Default false. */
  fromSortedIds?: boolean;
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
export const sparseTopKCategoricalAccuracy: MetricMaker<SparseTopKAccuracyOptions> =
  /* @__PURE__ */ defineMetric<SparseTopKAccuracyOptions>({
    className: 'SparseTopKCategoricalAccuracy',
    defaults: { k: 5, fromSortedIds: false },
    direction: 'up',
    targets: 'int32',
    prepare: ({ k, fromSortedIds }, op) => {
      requireInteger(op, 'k', k, 1);
      requireBoolean(op, 'fromSortedIds', fromSortedIds);
      return (yTrue, yPred) => {
        requireMinRank(op, yPred, 1);
        const labels = labelsOf(op, yTrue, yPred, -1);
        return fromSortedIds ? amongFirst(labels, yPred, k) : inTopK(labels, yPred, k);
      };
    },
  });

/** 1 where a label is among the first k ids; 0 elsewhere. */
function amongFirst(labels: Tensor, ids: Tensor, k: number): Tensor {
  const count = Math.min(k, ids.shape.at(-1) as number);
  const first = slice(ids, { begin: ids.shape.map(() => 0), size: [...ids.shape.slice(0, -1), count] });
  const isFound = any(equal(cast(first, 'int32'), expandDims(labels, { axis: -1 })), { axis: -1 });
  return cast(isFound, 'float32');
}

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
