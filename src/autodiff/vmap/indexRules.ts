/** @file Batching rules of gathers and scatters. */
import { add } from '../../ops/elementwise/arithmetic.ts';
import { greaterEqual } from '../../ops/elementwise/comparison.ts';
import { gather } from '../../ops/indexing/gather.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { moveAxis } from '../../ops/arrangement/moveAxis.ts';
import { range } from '../../ops/creation/range.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { broadcastTo } from '../../ops/reductions/sum.ts';
import { where } from '../../ops/elementwise/where.ts';
import { merged } from './arrangementRules.ts';
import type { BatchingRule, MappedCall, Options } from './mappedCall.ts';

/** The plan of a gather or scatter along an axis. */
interface AxisPlan {
  readonly geometry: { readonly axis: number };
}

const axisOf = ({ plan }: MappedCall) => (plan as unknown as AxisPlan).geometry.axis;

const batchDimsOf = ({ options }: MappedCall) => (options.batchDims as number | undefined) ?? 0;

/** Returns the options with an additional batch axis that table and indices share. */
function sharingBatch(call: MappedCall): Options {
  const batchDims = batchDimsOf(call);
  // Negative numbers count from the rank of the indices, which grows by the batch axis.
  return { ...withBatch(call), batchDims: batchDims < 0 ? batchDims : batchDims + 1 };
}

/** Returns the options with the batch as first axis of `shape`, where there is one: the shape of the result. */
function withBatch({ options, size }: MappedCall): Options {
  const { shape } = options as { shape?: number[] };
  return shape ? { ...options, shape: [size, ...shape] } : options;
}

export const gathers: BatchingRule = (call) => {
  const axis = axisOf(call);
  const plain = batchDimsOf(call) === 0;
  if (plain && !call.isMapped(1))
    return call.one([call.whole(0), call.whole(1)], { ...call.options, axis: axis + 1 });
  if (plain && !call.isMapped(0)) {
    // The batch is the first axis of the indices, so in the result it is where the indices' axes begin.
    const gathered = call.one([call.whole(0), call.whole(1)], { ...call.options, axis });
    return axis === 0 ? gathered : moveAxis(gathered, { source: axis, destination: 0 });
  }
  return call.one(call.spreadAll(), { ...sharingBatch(call), axis: axis + 1 });
};

export const scatters: BatchingRule = (call) =>
  call.one(call.spreadAll(), { ...sharingBatch(call), axis: axisOf(call) + 1 });

/** With a table per example: a gather with a batch. */
export const embeddings: BatchingRule = (call) => {
  if (!call.isMapped(0)) return call.one([call.whole(0), call.whole(1)]);
  return gather(call.spread(0), call.spread(1), { ...call.options, axis: 1, batchDims: 1 });
};

export const coordinates: BatchingRule = (call) => call.one(call.spreadAll(), sharingBatch(call));

/** replaceRows: each example has rows of its own, or all have the same. Rows without an update read any of them. */
export const replacements: BatchingRule = (call) => {
  const last = call.spread(2);
  const newest = gather(call.spread(1), last, { axis: 1, batchDims: 1, validateIndices: false });
  const { shape } = call.spread(0);
  const isReplaced = reshape(greaterEqual(last, 0), {
    shape: shape.map((n, i) => (last.shape[i] === undefined ? 1 : n)),
  });
  return where(isReplaced, newest, call.spread(0));
};

/** takeAlongAxis and scatterAddAlongAxis. */
export const alongIndices: BatchingRule = (call) => {
  const { axis } = call.plan as unknown as { axis: number };
  return call.one(call.spreadAll(), { ...withBatch(call), axis: axis + 1 });
};

/** Each example has segments of its own. */
export const segments: BatchingRule = (call) => call.one(call.spreadAll(), sharingBatch(call));

/** searchSortedRows: all examples search the same rows, or each its own. */
export const searches: BatchingRule = (call) => {
  if (call.isMapped(0)) return merged(call, call.spreadAll());
  const swapped = (x: Tensor) => moveAxis(x, { source: 0, destination: 1 });
  return swapped(call.one([call.whole(0), swapped(call.whole(1) as Tensor)]));
};

/** Samples of images: those of all examples are merged, so that an entry's image is found behind the images before it. */
export const samplings: BatchingRule = (call) => {
  const [images, points, image] = call.spreadAll() as [Tensor, Tensor, Tensor | null];
  const n = call.shape(0)[0] as number;
  if (image) {
    const first = range(0, call.size * n, { step: n, dtype: 'int32' });
    return merged(call, [images, points, add(image, reshape(first, { shape: [-1, 1] }))]);
  }
  // One map for all images of an example becomes one for each.
  const [size, , ...rest] = points.shape as [number, number, ...number[]];
  return merged(call, [images, broadcastTo(points, { shape: [size, n, ...rest] }), null]);
};
