/**
 * @file Launches scatter-adds. Four algorithms find the updates of a row: each result compares its row with all indices,
 * each invocation or each workgroup searches all indices for its own rows, or the indices are grouped by row first. Many
 * indices of few rows are divided into chunks, whose sums are added.
 */
import { type BinnedScatterOptions, binnedScatter, maxRowsOfBin } from '../../shaders/binnedScatter.ts';
import { indexParams } from '../../shaders/lib/indices.ts';
import {
  chunkLength,
  type DirectScatterOptions,
  directScatter,
  type FoldOptions,
  foldChunks,
  ownedScatter,
  type OwnedScatterOptions,
  scatterWorkgroup,
  type SumOptions,
  sumRows,
} from '../../shaders/scatter.ts';
import { wgslType } from '../core/dtype.ts';
import type { TensorSpec } from '../core/spec.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type AdapterProfile, profileOf } from './adapterProfiles.ts';
import { fillKernel } from './fill.ts';
import { type IndexChecking, type Indexing, indexOptions, indexValues } from './indexing.ts';
import { bindsAsVectors, output } from './output.ts';
import { addPartialSums, partialSpec } from './partialSums.ts';
import { rowsKernel } from './rows.ts';
import { type Grouping, type GroupingAlgorithm, groupByKey } from './sort.ts';
import { type LoopRange, splitLoops } from './splitLoops.ts';

const vectorOf = (type: string, width: 1 | 4) => (width === 4 ? `vec4<${type}>` : type);
const geometry = { count: 'u32', outer: 'u32', inner: 'u32', entries: 'u32', rows: 'u32' } as const;

const direct = {
  bindings: ({ index, type, width }: DirectScatterOptions): Bindings => ({
    indices: `read ${index}`,
    updates: `read ${vectorOf(type, width)}`,
    out: `write ${vectorOf(type, width)}`,
  }),
  params: { ...geometry, ...indexParams },
  source: directScatter,
} as const;
const directSilent = defineKernel({ name: 'scatter', ...direct });
const directReporting = defineKernel({ name: 'scatter checked', ...direct, faults: true });

const owned = defineKernel({
  name: 'scatter owned',
  bindings: ({ type, width }: OwnedScatterOptions): Bindings => ({
    keys: 'read u32',
    updates: `read ${vectorOf(type, width)}`,
    out: `read_write ${vectorOf(type, width)}`,
  }),
  params: { ...geometry, entry_begin: 'u32', entry_end: 'u32' },
  source: ownedScatter,
});

const binned = {
  bindings: ({ index, type, width }: BinnedScatterOptions): Bindings => ({
    indices: `read ${index}`,
    updates: `read ${vectorOf(type, width)}`,
    out: `read_write ${vectorOf(type, width)}`,
  }),
  params: { ...geometry, parts: 'u32', bins: 'u32', rows_of_bin: 'u32', ...indexParams },
  source: binnedScatter,
} as const;
const binnedSilent = defineKernel({ name: 'scatter binned', ...binned });
const binnedReporting = defineKernel({ name: 'scatter binned checked', ...binned, faults: true });

const fold = defineKernel({
  name: 'scatter fold',
  bindings: ({ type, width }: FoldOptions): Bindings => ({
    keys: 'read u32',
    order: 'read u32',
    updates: `read ${vectorOf(type, width)}`,
    out: `write ${vectorOf(type, width)}`,
  }),
  params: { ...geometry, total: 'u32' },
  source: foldChunks,
});

const sum = defineKernel({
  name: 'scatter sum',
  bindings: ({ type, width, folded }: SumOptions): Bindings => {
    const read = `read ${vectorOf(type, width)}` as const;
    return {
      order: 'read u32',
      offsets: 'read u32',
      updates: read,
      ...(folded ? { chunks: read, superchunks: read } : {}),
      out: `write ${vectorOf(type, width)}`,
    };
  },
  params: geometry,
  source: sumRows,
});

/** The sizes by which an algorithm is selected: the results, in vectors if they are read so, and the indices of a batch. */
export interface ScatterProblem {
  readonly results: number;
  /** Results of one row. */
  readonly inner: number;
  readonly rows: number;
  readonly indices: number;
}

export type ScatterAlgorithm =
  | { readonly kind: 'direct' }
  /** By a single batch of indices, in chunks of equal length. One: all indices. */
  | { readonly kind: 'owned'; readonly chunks: number }
  /** About this many workgroups share the rows. */
  | { readonly kind: 'binned'; readonly workgroups: number }
  | { readonly kind: 'grouped'; readonly by: GroupingAlgorithm };

/** Number of workgroups: enough for any device, but few if each has many indices to search. */
const binWorkgroups = { min: 128, max: 1024, looks: 2 ** 24 };

export function selectScatter(
  problem: ScatterProblem,
  { scatter: { direct, owned, binned }, grouping }: AdapterProfile,
): ScatterAlgorithm {
  const { results, indices } = problem;
  if (indices <= direct.indices && results * indices <= direct.steps) return { kind: 'direct' };
  if (indices <= binned) {
    const { min, max, looks } = binWorkgroups;
    return { kind: 'binned', workgroups: Math.min(max, Math.max(min, looks / indices)) };
  }
  return indices <= owned ? { kind: 'owned', chunks: chunksOf(problem) } : { kind: 'grouped', by: grouping };
}

/** Invocations that chunks are for: more than enough for a CPU, since sums must not depend on the number of cores. */
const busyOwners = 64;
/** Rows of this many results keep a CPU busy without chunks. */
const wideRow = 8;
/** The number of indices for each row of a chunk that make up for zeroing it and adding it to the others. */
const indicesPerRow = 4;

/** The largest number of chunks of equal length that is worthwhile. */
function chunksOf({ results, inner, rows, indices }: ScatterProblem): number {
  if (inner >= wideRow || results > rows * inner) return 1;
  let chunks = Math.floor(Math.min(busyOwners / inner, indices / (indicesPerRow * rows)));
  while (chunks > 1 && indices % chunks > 0) chunks--;
  return Math.max(1, chunks);
}

/** Invocations that a core computes in parallel. */
const lanesOfCore = 4;
/** Invocations that lavapipe executes as one vector. If they own different parts, each may take separate iterations. */
const vectorLanes = 8;
/** Invocations of a workgroup: few if there are few in total. */
const ownersWorkgroup = { few: 4, many: 64 };

/**
 * Sums `updates` into the rows selected by `indices`; zeros elsewhere. `spec` is the shape and dtype of the result;
 * `algorithm` is for tests of a single one.
 */
export function scatterAddKernel(
  op: string,
  indices: Tensor,
  updates: Tensor,
  spec: TensorSpec,
  indexing: Indexing,
  checking: IndexChecking,
  algorithm?: ScatterAlgorithm,
): Tensor {
  const { batch, outer, entries, rows, inner } = indexing;
  const { device } = updates;
  const elements = batch * outer * rows * inner;
  if (elements === 0 || updates.size === 0) {
    // Rows without elements move nothing, but an out-of-range index is still reported.
    if (checking.check !== 'none') rowsKernel(op, indices, indexing, checking);
    return fillKernel(device, spec, 0, op);
  }
  const width = inner % 4 === 0 && bindsAsVectors(updates) ? 4 : 1;
  const problem = { results: elements / width, inner: inner / width, rows, indices: entries };
  const chosen = algorithm ?? selectScatter(problem, profileOf(device));
  if (chosen.kind === 'owned' && chosen.chunks > 1) {
    const { chunks } = chosen;
    const partial = partialSpec(spec, chunks);
    // A chunk is summed as a batch of its own.
    const chunked = { ...indexing, batch: chunks, entries: entries / chunks };
    const whole = { kind: 'owned', chunks: 1 } as const;
    const sums = scatterAddKernel(op, indices, updates, partial, chunked, checking, whole);
    return addPartialSums(op, sums, spec, {});
  }
  const launch: ScatterLaunch = {
    op,
    updates,
    out: chosen.kind === 'owned' ? fillKernel(device, spec, 0, op) : output(device, spec, op),
    element: { type: wgslType(spec.dtype), width },
    params: { count: elements / width, outer, inner: inner / width, entries, rows },
  };
  if (chosen.kind === 'direct') {
    launchDirect(launch, indices, indexing, checking);
  } else if (chosen.kind === 'binned') {
    launchBinned(launch, indices, indexing, checking, chosen.workgroups);
  } else if (chosen.kind === 'owned') {
    launchOwned(launch, rowsKernel(op, indices, indexing, checking), batch * outer);
  } else {
    const keys = rowsKernel(op, indices, indexing, checking);
    sumGroups(launch, keys, batch * rows, groupByKey(op, keys, batch * rows, chosen.by));
  }
  return launch.out;
}

interface ScatterLaunch {
  op: string;
  updates: Tensor;
  out: Tensor;
  element: { type: string; width: 1 | 4 };
  /** In units of `width` elements. */
  params: { count: number; outer: number; inner: number; entries: number; rows: number };
}

function launchDirect(
  { updates, out, element, params }: ScatterLaunch,
  indices: Tensor,
  indexing: Indexing,
  checking: IndexChecking,
): void {
  const launch = {
    options: { ...indexOptions(indexing, indices, checking), ...element },
    bindings: { indices: indices.storage, updates: updates.storage, out: out.storage },
    params: { ...params, ...indexValues(indexing, indices) },
    workgroups: Math.ceil(params.count / scatterWorkgroup),
  };
  if (checking.check === 'none') out.device.launch(directSilent, launch);
  else out.device.launch(directReporting, { ...launch, fault: checking.fault });
}

function launchBinned(
  { updates, out, element, params: { count: _, ...params } }: ScatterLaunch,
  indices: Tensor,
  indexing: Indexing,
  checking: IndexChecking,
  workgroups: number,
): void {
  const { outer, inner, rows } = params;
  const lanes = Math.min(64, 2 ** Math.ceil(Math.log2(inner)));
  const parts = Math.ceil(inner / lanes);
  const blocks = indexing.batch * outer;
  const wanted = workgroups / (blocks * parts);
  const rowsOfBin = Math.min(maxRowsOfBin, Math.ceil(rows / Math.max(1, Math.min(rows, wanted))));
  const bins = Math.ceil(rows / rowsOfBin);
  const count = blocks * bins * parts;
  const launch = {
    options: { ...indexOptions(indexing, indices, checking), ...element, lanes },
    bindings: { indices: indices.storage, updates: updates.storage, out: out.storage },
    params: { ...params, count, parts, bins, rows_of_bin: rowsOfBin, ...indexValues(indexing, indices) },
    workgroups: count,
  };
  if (checking.check === 'none') out.device.launch(binnedSilent, launch);
  else out.device.launch(binnedReporting, { ...launch, fault: checking.fault });
}

function launchOwned({ updates, out, element, params }: ScatterLaunch, keys: Tensor, blocks: number): void {
  const alone = blocks * params.inner;
  // Just enough invocations to keep the cores busy: more would only read the indices more often. Sums don't depend on it.
  const cores = Math.min(8, globalThis.navigator?.hardwareConcurrency ?? 4);
  const parts = 2 ** Math.ceil(Math.log2(Math.max(1, (lanesOfCore * cores) / alone)));
  const count = alone * parts;
  const workgroup = count < 1024 ? ownersWorkgroup.few : ownersWorkgroup.many;
  // An entry of a part takes an iteration of two loops.
  const cost = parts === 1 ? 1 : 2 * Math.min(parts, vectorLanes);
  for (const [entries] of splitLoops([params.entries], cost) as [LoopRange][])
    out.device.launch(owned, {
      options: { ...element, parts, workgroup },
      bindings: { keys: keys.storage, updates: updates.storage, out: out.storage },
      params: {
        ...params,
        count,
        entry_begin: entries[0],
        entry_end: entries[1],
      },
      workgroups: Math.ceil(count / workgroup),
    });
}

function sumGroups(
  { op, updates, out, element, params }: ScatterLaunch,
  keys: Tensor,
  total: number,
  { order, offsets }: Grouping,
): void {
  const { device, dtype } = out;
  const { outer, inner } = params;
  const folded = keys.size >= 4 * chunkLength;
  const partial = (level: FoldOptions['level'], from: Tensor, chunks: number): Tensor => {
    const made = output(device, { shape: [chunks, outer * inner * element.width], dtype }, op);
    if (chunks === 0) return made;
    device.launch(fold, {
      options: { ...element, level },
      bindings: { keys: keys.storage, order: order.storage, updates: from.storage, out: made.storage },
      params: { ...params, count: chunks * outer * inner, total },
      workgroups: Math.ceil((chunks * outer * inner) / scatterWorkgroup),
    });
    return made;
  };
  const bindings: Record<string, Tensor['storage']> = {
    order: order.storage,
    offsets: offsets.storage,
    updates: updates.storage,
    out: out.storage,
  };
  if (folded) {
    const chunks = partial('entries', updates, Math.floor(keys.size / chunkLength));
    bindings.chunks = chunks.storage;
    bindings.superchunks = partial('chunks', chunks, Math.floor(keys.size / chunkLength ** 2)).storage;
  }
  device.launch(sum, {
    options: { ...element, folded },
    bindings,
    params,
    workgroups: Math.ceil(params.count / scatterWorkgroup),
  });
}
