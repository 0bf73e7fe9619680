/**
 * @file Launches scatter-adds. Four algorithms find the updates of a row: each result compares its row with all indices,
 * each invocation or each workgroup searches all indices for its own rows, or the indices are grouped by row first. Many
 * indices of few rows are divided into chunks, whose sums are added.
 */
import { type BinnedScatterOptions, binnedScatter, maxRowsOfBin } from '../../../shaders/binnedScatter.ts';
import { indexParams } from '../../../shaders/lib/indices.ts';
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
} from '../../../shaders/scatter.ts';
import { wgslType } from '../../core/dtype.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AdapterProfile } from '../selection/adapterProfile.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { defineChecked, launchChecked } from '../launch/checkedKernel.ts';
import { fillKernel } from '../copies/fill.ts';
import { type IndexChecking, type Indexing, indexOptions, indexValues } from './indexing.ts';
import { bindsAsVectors, output } from '../launch/output.ts';
import { addPartialSums, partialSpec } from '../gemm/partialSums.ts';
import { rowsKernel } from './rows.ts';
import { type Grouping, type GroupingAlgorithm, groupByKey } from '../sorting/sort.ts';

const vectorOf = (type: string, width: 1 | 4) => (width === 4 ? `vec4<${type}>` : type);
const geometry = { count: 'u32', outer: 'u32', inner: 'u32', entries: 'u32', rows: 'u32' } as const;

const direct = defineChecked({
  name: 'scatter',
  bindings: ({ index, type, width }: DirectScatterOptions): Bindings => ({
    indices: `read ${index}`,
    updates: `read ${vectorOf(type, width)}`,
    out: `write ${vectorOf(type, width)}`,
  }),
  params: { ...geometry, ...indexParams },
  source: directScatter,
});

const owned = defineChecked({
  name: 'scatter owned',
  bindings: ({ index, type, width }: OwnedScatterOptions): Bindings => ({
    indices: `read ${index}`,
    updates: `read ${vectorOf(type, width)}`,
    out: `read_write ${vectorOf(type, width)}`,
  }),
  params: { ...geometry, blocks: 'u32', chunk: 'u32', ...indexParams },
  source: ownedScatter,
});

const binned = defineChecked({
  name: 'scatter binned',
  bindings: ({ index, type, width }: BinnedScatterOptions): Bindings => ({
    indices: `read ${index}`,
    updates: `read ${vectorOf(type, width)}`,
    out: `read_write ${vectorOf(type, width)}`,
  }),
  params: { ...geometry, parts: 'u32', bins: 'u32', rows_of_bin: 'u32', ...indexParams },
  source: binnedScatter,
});

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
  /** The indices of a batch are summed in this many chunks, each in one loop. */
  | { readonly kind: 'owned'; readonly chunks: number }
  /** About this many workgroups share the rows. */
  | { readonly kind: 'binned'; readonly workgroups: number }
  | { readonly kind: 'grouped'; readonly by: GroupingAlgorithm };

/**
 * Number of workgroups: few if each has many indices to search. On an H100, 256 take 0.7 of the time of 1,024 for 4,096 indices: each
 * searches all of them, and those of a second round wait for the first.
 */
const binWorkgroups = { min: 128, max: 256, looks: 2 ** 24 };

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
  const chunks = chunksOf(problem, owned);
  return chunks > 0 ? { kind: 'owned', chunks } : { kind: 'grouped', by: grouping };
}

// Costs of chunks on a software adapter, in units of adding an update.
/** Invocations that are computed in parallel. A constant, since sums must not depend on the number of cores. */
const parallelOwners = 16;
/** To zero an element of a table, and to add it to those of the other chunks. */
const costOfElement = 0.5;
/** The launch that adds the tables. */
const costOfSum = 2048;

/** Returns the number of chunks of at most `longest` indices that takes the least time; 0 if there would be too many. */
function chunksOf({ results, rows, indices }: ScatterProblem, longest: number): number {
  const costOf = (chunks: number) =>
    (indices / chunks) * Math.max(1, (results / rows / parallelOwners) * chunks) +
    (chunks > 1 ? chunks * results * costOfElement + costOfSum : 0);
  const allowed = [1, 2, 4, 8, 16].filter((chunks) => indices <= longest * chunks);
  return allowed.reduce((best, chunks) => (best > 0 && costOf(best) <= costOf(chunks) ? best : chunks), 0);
}

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
  const chunks = chosen.kind === 'owned' ? chosen.chunks : 1;
  const tables = chunks > 1 ? partialSpec(spec, chunks) : spec;
  const launch: ScatterLaunch = {
    op,
    updates,
    out: chosen.kind === 'owned' ? fillKernel(device, tables, 0, op) : output(device, spec, op),
    element: { type: wgslType(spec.dtype), width },
    params: { count: elements / width, outer, inner: inner / width, entries, rows },
  };
  if (chosen.kind === 'direct') {
    launchDirect(launch, indices, indexing, checking);
  } else if (chosen.kind === 'binned') {
    launchBinned(launch, indices, indexing, checking, chosen.workgroups);
  } else if (chosen.kind === 'owned') {
    launchOwned(launch, indices, indexing, checking, chunks);
    if (chunks > 1) return addPartialSums(op, launch.out, spec, {});
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
  launchChecked(out.device, direct, launch, checking);
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
  launchChecked(out.device, binned, launch, checking);
}

function launchOwned(
  { updates, out, element, params }: ScatterLaunch,
  indices: Tensor,
  indexing: Indexing,
  checking: IndexChecking,
  chunks: number,
): void {
  const blocks = indexing.batch * indexing.outer;
  const count = chunks * blocks * params.inner;
  // Small workgroups distribute a few invocations over the cores.
  const workgroup = count < 1024 ? 4 : 64;
  const chunk = Math.ceil(params.entries / chunks);
  const launch = {
    options: { ...indexOptions(indexing, indices, checking), ...element, workgroup },
    bindings: { indices: indices.storage, updates: updates.storage, out: out.storage },
    params: { ...params, ...indexValues(indexing, indices), count, blocks, chunk },
    workgroups: Math.ceil(count / workgroup),
  };
  launchChecked(out.device, owned, launch, checking);
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
