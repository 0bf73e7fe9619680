/** @file Reduces the losses of samples to one loss: weights, masks and reductions. */
import { requireOneOf } from '../../core/shape.ts';
import { div, mul } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { equal } from '../../ops/elementwise/comparison.ts';
import { mean } from '../../ops/reductions/mean.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { requireBroadcast } from './lossChecks.ts';
import { isEmpty, sameRank } from './lossInputs.ts';

/**
 * How losses are reduced: `sum_over_batch_size` and `mean` divide the sum by the number of losses,
 * `mean_with_sample_weight` by the sum of the weights; `none` and null do not reduce.
 */
export type Reduction = 'sum_over_batch_size' | 'sum' | 'mean' | 'mean_with_sample_weight' | 'none' | null;

const reductions = ['sum_over_batch_size', 'sum', 'mean', 'mean_with_sample_weight', 'none'] as const;

/** Throws unless `reduction` is the name of one, or null. */
export function requireReduction(op: string, reduction: unknown): asserts reduction is Reduction {
  if (reduction !== null) requireOneOf(op, 'reduction', reduction, reductions);
}

export interface Weighting {
  sampleWeight: Tensor | null;
  /** Mask of the losses that count, float32 or bool. Means ignore the others. */
  mask: Tensor | null;
}

/**
 * Weights `values` and reduces them. A mean over no values is 0.
 * Errors: ShapeError where weights or mask don't broadcast with the values.
 */
export function reduceLosses(op: string, values: Tensor, weighting: Weighting, reduction: Reduction): Tensor {
  const weight = weightOf(op, weighting, reduction);
  if (!weight) return reduceValues(values, null, reduction);
  const [aligned, weights] = sameRank(values, weight);
  requireBroadcast(
    op,
    [weighting.sampleWeight ? '`sampleWeight`' : '`mask`', weights],
    ['the losses', aligned],
  );
  return reduceValues(mul(aligned, weights), weights, reduction);
}

/** Weights and mask combined; null if there is neither. */
function weightOf(op: string, { sampleWeight, mask }: Weighting, reduction: Reduction): Tensor | null {
  if (!mask) return sampleWeight;
  const counted = maskWeight(cast(mask, 'float32'), reduction);
  if (!sampleWeight) return counted;
  const [weights, counts] = sameRank(sampleWeight, counted);
  requireBroadcast(op, ['`sampleWeight`', weights], ['the mask', counts]);
  return mul(weights, counts);
}

/** For means, scales the mask so that the mean over all values is the mean over unmasked values. */
function maskWeight(mask: Tensor, reduction: Reduction): Tensor {
  if ((reduction !== 'mean' && reduction !== 'sum_over_batch_size') || isEmpty(mask)) return mask;
  return divideOrZero(mask, mean(mask));
}

function reduceValues(values: Tensor, weights: Tensor | null, reduction: Reduction): Tensor {
  if (reduction === null || reduction === 'none' || values.shape.length === 0) return values;
  if (reduction === 'sum' || isEmpty(values)) return sum(values);
  if (reduction === 'mean_with_sample_weight' && weights) return divideOrZero(sum(values), sum(weights));
  return mean(values);
}

/** x / y, and 0 where y is 0. */
function divideOrZero(x: Tensor, y: Tensor): Tensor {
  const isZero = equal(y, 0);
  return where(isZero, 0, div(x, where(isZero, 1, y)));
}
