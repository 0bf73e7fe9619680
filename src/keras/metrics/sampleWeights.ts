/** @file Sample weights of metrics, and the reduction of values to samples. */
import { checkOptions } from '../../core/options.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatSpec } from '../../core/spec.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { broadcastTo } from '../../ops/reductions/sum.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import type { ReduceOptions } from '../../ops/reductions/reduction.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { sameRank, toTensor } from '../losses/lossInputs.ts';
import { maskOf } from '../masks.ts';
import type { UpdateOptions } from './metric.ts';

/** Weights and mask combined; null if there is neither. Default mask: that of `yPred`. */
export function weightOf(op: string, options: UpdateOptions, yPred?: unknown): Tensor | null {
  checkOptions(op, options, ['sampleWeight', 'mask']);
  const { sampleWeight = null, mask = maskOf(yPred) } = options;
  const weight = sampleWeight === null ? null : toTensor(op, 'sampleWeight', sampleWeight);
  if (mask === null) return weight;
  const counts = toTensor(op, 'mask', toTensor(op, 'mask', mask, 'bool'));
  if (!weight) return counts;
  const [aligned, weights] = sameRank(counts, weight);
  return mul(alongFirst(aligned, weights), alongFirst(weights, aligned));
}

/** Returns `x` with axes of size 1 appended up to the rank of `other`: its first axes are those of the other. */
function alongFirst(x: Tensor, other: Tensor): Tensor {
  if (x.rank === 0 || x.rank >= other.rank) return x;
  return reshape(x, { shape: [...x.shape, ...other.shape.slice(x.rank).fill(1)] });
}

/** Weights broadcast to the values, along trailing axes. Errors: ShapeError if they don't match. */
export function stretched(op: string, weight: Tensor, values: Tensor): Tensor {
  const column = expandDims(weight, { axis: -1 });
  const aligned = column.rank === values.rank + 1 ? weight : column;
  requireStretch(op, aligned, values);
  return broadcastTo(aligned, { shape: values.shape });
}

/** Throws unless `weight` can be stretched to the shape of `values`. */
function requireStretch(op: string, weight: Tensor, values: Tensor): void {
  const offset = values.rank - weight.rank;
  if (offset >= 0 && weight.shape.every((n, i) => n === 1 || n === values.shape[i + offset])) return;
  throw new ShapeError({
    op,
    rule: '`sampleWeight` and mask have the shape of the values, of their first axes, or sizes of 1 there.',
    received: `weights ${formatSpec(weight)}, values ${formatSpec(values)}`,
    hint: 'pass one weight per sample: the shape [batch].',
  });
}

type Reduce = (x: Tensor, options?: ReduceOptions) => Tensor;

/**
 * One weighted value per sample, and the weights: axes beyond those of the weights are reduced first, then all but the first.
 * As in Keras, with `mean`, weights of several axes count by their mean in a sample.
 */
export function reduceToSamples(
  op: string,
  values: Tensor,
  weight: Tensor | null,
  reduce: Reduce,
): { values: Tensor; weights: Tensor | null } {
  if (!weight) return { values: beyond(values, 1, reduce), weights: null };
  const [aligned, narrow] = sameRank(values, weight);
  const reduced = beyond(aligned, narrow.rank, reduce);
  requireStretch(op, narrow, reduced);
  const weights = broadcastTo(narrow, { shape: reduced.shape });
  return { values: beyond(mul(reduced, weights), 1, reduce), weights: beyond(weights, 1, reduce) };
}

/** Returns `x` reduced over its axes from number `first` on. */
function beyond(x: Tensor, first: number, reduce: Reduce): Tensor {
  if (x.rank <= first) return x;
  return reduce(x, { axis: Array.from({ length: x.rank - first }, (_, i) => first + i) });
}
