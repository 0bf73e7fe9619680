/** @file Batching rules of ops that act on axes: the batch is an additional leading axis. */
import { normalizeAxes, normalizeAxis, sizeOf } from '../../core/shape.ts';
import type { Results } from '../../ops/define/definition.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { broadcastTo } from '../../ops/reductions/sum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { BatchingRule, MappedCall, Options } from './mappedCall.ts';

/** Elementwise ops: operands of lower rank get the missing axes right after the batch axis, as they would for one example. */
export const elementwise: BatchingRule = (call) => {
  const rank = Math.max(...call.inputs.map((_, i) => call.rank(i)));
  const raised = call.inputs.map((_, i) => call.raised(i, rank));
  const plan = call.op.infer(raised, call.options);
  const shape = call.resultOfAll();
  const fits = 'shape' in plan && String(plan.shape) === String(shape);
  // Ops for derivatives take the shape of their result from one operand, which must have it.
  return call.one(fits ? raised : raised.map((x) => x && broadcastTo(x, { shape })));
};

/** Ops that only change the shape: reshape, expandDims, squeeze. */
export const reshaping: BatchingRule = (call) => reshape(call.spread(0), { shape: call.resultOfAll() });

/** Ops whose options name axes of the first operand. The batch becomes axis 0, so those axes shift by one. */
function onAxes(options: (call: MappedCall) => Options): BatchingRule {
  return (call) => call.run(call.spreadAll(), options(call));
}

/** Returns the option `axis` (one or several; all if left out), shifted by the batch axis. */
function axesBehindBatch(call: MappedCall): number[] {
  const axis = call.options.axis as number | readonly number[] | null | undefined;
  return normalizeAxes(call.op.name, axis, call.rank(0)).map((i) => i + 1);
}

/** Ops whose option `axis` is one axis, which their plan has. */
export const alongAxis: BatchingRule = onAxes(({ options, plan }) => {
  const { axis } = plan as unknown as { axis: number };
  return { ...options, axis: axis + 1 };
});

/** split and unstack, whose plans are the specs of the parts. */
export const divisions: BatchingRule = onAxes((call) => {
  const { axis = 0 } = call.options as { axis?: number };
  return { ...call.options, axis: normalizeAxis(call.op.name, axis, call.rank(0)) + 1 };
});

export const reductions: BatchingRule = onAxes((call) => ({ ...call.options, axis: axesBehindBatch(call) }));

/** argMax and argMin: without an axis they search all elements, by their flat position. */
export const searches: BatchingRule = (call) => {
  const { axis = null } = call.options;
  const x = call.spread(0);
  const lines = axis === null ? reshape(x, { shape: [call.size, sizeOf(call.shape(0))] }) : x;
  const along = axis === null ? 1 : normalizeAxis(call.op.name, axis as number, call.rank(0)) + 1;
  return reshape(call.one([lines], { axis: along }), { shape: call.resultOfAll() });
};

/** Ops that act on the last axes, independent of the leading axes. */
export const unchanged: BatchingRule = (call) => call.run(call.spreadAll());

export const broadcasting: BatchingRule = (call) =>
  call.one([call.raised(0, call.result.length)], { shape: call.resultOfAll() });

export const transposition: BatchingRule = onAxes(({ plan }) => {
  const { perm } = plan as unknown as { perm: readonly number[] };
  return { perm: [0, ...perm.map((axis) => axis + 1)] };
});

export const slices: BatchingRule = onAxes((call) => {
  const { begin } = call.options as { begin: number | readonly number[] };
  return { begin: [0, ...[begin].flat()], size: call.resultOfAll() };
});

export const placedSlices: BatchingRule = onAxes((call) => {
  const { begins } = call.options as { begins: readonly (readonly number[])[] };
  return { shape: call.resultOfAll(), begins: begins.map((begin) => [0, ...begin]) };
});

export const pads: BatchingRule = onAxes(({ options }) => ({
  ...options,
  paddings: [[0, 0], ...(options.paddings as number[][])],
}));

export const tiles: BatchingRule = onAxes(({ options }) => ({ reps: [1, ...(options.reps as number[])] }));

const masks = ['beginMask', 'endMask', 'ellipsisMask', 'newAxisMask', 'shrinkAxisMask'] as const;

/** stridedSlice and stridedScatter: the first entry takes the whole batch. */
export const stridedSlices: BatchingRule = onAxes((call) => {
  const options = call.options as { begin: number[]; end: number[]; strides?: number[]; shape?: number[] };
  const moved: Record<string, number> = {};
  for (const mask of masks) moved[mask] = ((call.options[mask] as number | undefined) ?? 0) << 1;
  return {
    ...moved,
    beginMask: (moved.beginMask as number) | 1,
    endMask: (moved.endMask as number) | 1,
    begin: [0, ...options.begin],
    end: [0, ...options.end],
    strides: [1, ...(options.strides ?? options.begin.map(() => 1))],
    ...(options.shape && { shape: [call.size, ...options.shape] }),
  };
});

/** All examples share one mask, as they share all random numbers drawn inside a map. */
export const dropouts: BatchingRule = onAxes(({ options, plan }) => {
  const { mask } = plan as unknown as { mask: readonly number[] };
  return { ...options, noiseShape: mask };
});

/** Ops whose operands and results have a batch as first axis: both batches are merged. `sized` names options that are shapes. */
export function mergedBatch(sized: readonly string[] = []): BatchingRule {
  return (call) => merged(call, call.spreadAll(), sized);
}

/** Merges the mapped axis into the first axis of those `operands` that have it. */
export function merged(
  call: MappedCall,
  operands: readonly (Tensor | null)[],
  sized: readonly string[] = [],
): Results {
  const flat = operands.map((x, i) => {
    if (!x || x.rank === call.rank(i)) return x;
    const [size, n, ...rest] = x.shape as [number, number, ...number[]];
    return reshape(x, { shape: [size * n, ...rest] });
  });
  const options: Record<string, unknown> = { ...call.options };
  for (const name of sized) {
    const [n, ...rest] = options[name] as [number, ...number[]];
    options[name] = [n * call.size, ...rest];
  }
  const results = call.run(flat, options);
  const unmerge = (y: Tensor, i: number) => reshape(y, { shape: call.resultOfAll(i) });
  return Array.isArray(results) ? results.map(unmerge) : unmerge(results as Tensor, 0);
}
