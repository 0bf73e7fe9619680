/**
 * @file Confusion: how much of the true and of the false targets is predicted above each threshold.
 */
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import { add, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { clip } from '../../ops/elementwise/clip.ts';
import { greater, notEqual } from '../../ops/elementwise/comparison.ts';
import { range } from '../../ops/creation/range.ts';
import { cumsum } from '../../ops/reductions/cumsum.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { matMul } from '../../ops/products/matMul.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { oneHot } from '../../ops/indexing/oneHot.ts';
import { relu } from '../../ops/activations/rectifiers.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { ceil } from '../../ops/elementwise/rounding.ts';
import { segmentSum } from '../../ops/indexing/segments.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { stack } from '../../ops/arrangement/stack.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { topK } from '../../ops/sorting/topK.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { requireSame } from '../losses/lossChecks.ts';
import { sameRank } from '../losses/lossInputs.ts';
import { stretched } from './sampleWeights.ts';
import { checked } from '../options/kinds.ts';
import type { Option } from '../options/option.ts';

/** Below every prediction: the threshold where the k largest are chosen. */
export const lowest = -1e10;

/** Thresholds: their values on the host, and a tensor of shape [count] on the device. */
export interface Thresholds {
  readonly values: readonly number[];
  readonly onDevice: Tensor;
}

export interface ConfusionOptions {
  thresholds: Thresholds;
  /** Only the k largest predictions along the last axis are positive. */
  topK?: number | null;
  /** Evaluate only this class. */
  classId?: number | null;
  /** Whether to keep the last axis of [batch, labels], with separate counts for each label. */
  multiLabel?: boolean;
  weight: Tensor | null;
  /** Weights of the last axis. */
  labelWeights?: Tensor | null;
}

/**
 * Counts above each threshold: `above` [thresholds, ...labels, 2] holds true and false positives, `totals` [...labels, 2] all
 * true and all false targets.
 */
export class Confusion {
  constructor(
    readonly above: Tensor,
    readonly totals: Tensor,
  ) {}

  get truePositives(): Tensor {
    return part(this.above, 0);
  }

  get falsePositives(): Tensor {
    return part(this.above, 1);
  }

  get falseNegatives(): Tensor {
    return sub(part(this.totals, 0), this.truePositives);
  }

  get trueNegatives(): Tensor {
    return sub(part(this.totals, 1), this.falsePositives);
  }
}

/**
 * The confusion of a batch. yTrue and yPred have the same shape, except for a last axis of size 1; nonzero targets are true.
 * Errors: ShapeError, ValueError.
 */
export function confusionOf(op: string, yTrue: Tensor, yPred: Tensor, options: ConfusionOptions): Confusion {
  const { thresholds, multiLabel = false, weight, labelWeights } = options;
  const [targets, predictions] = chosen(op, yTrue, yPred, options);
  const truth = cast(notEqual(targets, 0), 'float32');
  // [..., 2]: true and false targets.
  let counts = stack([truth, sub(1, truth)], { axis: -1 });
  if (weight) counts = mul(counts, expandDims(stretched(op, weight, predictions), { axis: -1 }));
  if (labelWeights) {
    requireLabelWeights(op, labelWeights, predictions);
    counts = mul(counts, expandDims(labelWeights, { axis: -1 }));
  }
  const labels = multiLabel ? (predictions.shape.at(-1) as number) : 1;
  const flat = {
    predictions: reshape(predictions, { shape: [predictions.size / labels, labels] }),
    counts: reshape(counts, { shape: [predictions.size / labels, labels, 2] }),
  };
  const found = isEven(thresholds.values)
    ? byBuckets(flat.predictions, flat.counts, thresholds.values)
    : byComparison(flat.predictions, flat.counts, thresholds);
  const totals = sum(flat.counts, { axis: 0 });
  if (multiLabel) return new Confusion(found, totals);
  return new Confusion(
    reshape(found, { shape: [thresholds.values.length, 2] }),
    reshape(totals, { shape: [2] }),
  );
}

/**
 * For thresholds i / (n - 1): each prediction falls into the bucket of the last threshold that it exceeds, and the count
 * above a threshold is the sum of the buckets from there on. Takes time linear in predictions plus thresholds.
 */
function byBuckets(predictions: Tensor, counts: Tensor, thresholds: readonly number[]): Tensor {
  const last = thresholds.length - 1;
  const [, labels] = predictions.shape as [number, number];
  const bucket = sub(ceil(mul(clip(predictions, { min: 0, max: 1 }), last)), 1);
  // The first threshold is slightly below 0 if even a prediction of 0 must exceed it.
  const ids = cast((thresholds[0] as number) < 0 ? relu(bucket) : bucket, 'int32');
  // Ids below 0 stay below 0, and aren't counted.
  const cells = labels === 1 ? ids : add(mul(ids, labels), range(0, labels, 1, { dtype: 'int32' }));
  const sums = segmentSum(reshape(counts, { shape: [ids.size, 2] }), reshape(cells, { shape: [ids.size] }), {
    numSegments: (last + 1) * labels,
  });
  return cumsum(reshape(sums, { shape: [last + 1, labels, 2] }), { axis: 0, reverse: true });
}

/** For any thresholds: compares each prediction with each threshold. */
function byComparison(predictions: Tensor, counts: Tensor, { values, onDevice }: Thresholds): Tensor {
  const [batch, labels] = predictions.shape as [number, number];
  if (labels !== 1) {
    const bounds = reshape(onDevice, { shape: [values.length, 1, 1] });
    const above = cast(greater(predictions, bounds), 'float32');
    return sum(mul(expandDims(above, { axis: -1 }), counts), { axis: 1 });
  }
  const above = greater(
    reshape(predictions, { shape: [1, batch] }),
    reshape(onDevice, { shape: [values.length, 1] }),
  );
  return matMul(cast(above, 'float32'), reshape(counts, { shape: [batch, 2] }));
}

/** Targets and predictions of one shape, restricted to the k largest predictions and to one class. */
function chosen(
  op: string,
  yTrue: Tensor,
  yPred: Tensor,
  { topK: k = null, classId = null }: ConfusionOptions,
): [Tensor, Tensor] {
  const [targets, predictions] = sameRank(yTrue, yPred);
  requireSame(op, ['`yTrue`', targets], ['`yPred`', predictions]);
  const kept = k === null ? predictions : largest(predictions, k);
  return classId === null ? [targets, kept] : [ofClass(op, targets, classId), ofClass(op, kept, classId)];
}

/** Predictions with all but the k largest along the last axis set to `lowest`. */
function largest(predictions: Tensor, k: number): Tensor {
  const [, indices] = topK(predictions, { k }) as [Tensor, Tensor];
  const depth = predictions.shape.at(-1) as number;
  const isKept = max(oneHot(indices, { depth }), { axis: -2 });
  return where(greater(isKept, 0), predictions, lowest);
}

function ofClass(op: string, x: Tensor, classId: number): Tensor {
  const classes = x.shape.at(-1) as number;
  if (x.rank < 2 || classId >= classes) {
    throw new ShapeError({
      op,
      rule: '`classId` names a class of predictions [..., classes].',
      received: `classId: ${classId}, predictions ${formatSpec(x)}`,
      hint: 'pass one score per class, and a classId below the number of classes.',
    });
  }
  return slice(x, {
    begin: [...x.shape.slice(0, -1).fill(0), classId],
    size: [...x.shape.slice(0, -1), 1],
  });
}

function part(x: Tensor, which: number): Tensor {
  const shape = x.shape.slice(0, -1);
  const begin = [...shape.map(() => 0), which];
  return reshape(slice(x, { begin, size: [...shape, 1] }), { shape });
}

function requireLabelWeights(op: string, weights: Tensor, predictions: Tensor): void {
  if (weights.shape[0] === predictions.shape.at(-1)) return;
  throw new ShapeError({
    op,
    rule: '`labelWeights` must have one weight per label.',
    received: `${weights.shape[0]} weights, predictions ${formatSpec(predictions)}`,
    hint: 'pass as many weights as predictions have labels on their last axis.',
  });
}

/** Returns whether thresholds are i / (n - 1), up to rounding, as in Keras. */
function isEven(thresholds: readonly number[]): boolean {
  const last = thresholds.length - 1;
  if (last < 2) return false;
  return thresholds.every((threshold, i) => {
    const even = Math.fround(i / last);
    return Math.abs(threshold - even) <= 1e-7 + 1e-5 * even;
  });
}

/** Returns thresholds from a number, a list or null. Errors: ValueError for values outside [0, 1]. */
export function requireThresholds(op: string, given: unknown, otherwise: number): readonly number[] {
  if (given === null) return [otherwise];
  const list: unknown[] = Array.isArray(given) ? given : [given];
  const isInside = (t: unknown) => typeof t === 'number' && t >= 0 && t <= 1;
  if (list.length > 0 && list.every(isInside)) return list as number[];
  throw new ValueError({
    op,
    rule: '`thresholds` is a number in [0, 1], or a list of such.',
    received: `thresholds: ${describe(given)}`,
    hint: 'pass 0.5, or [0.25, 0.5, 0.75].',
  });
}

/** The kind of thresholds, which configurations have as they were given. */
export const givenThresholds = (): Option<number | readonly number[] | null> =>
  checked((op, _, thresholds: unknown) => {
    requireThresholds(op, thresholds, 0);
  }, null);
