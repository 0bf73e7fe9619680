/**
 * @file Indexing: what gathers and scatters of every kind come down to, entries that name rows of a table.
 */
import {
  type IndexAddressing,
  type IndexCheck,
  type IndexMode,
  indexParams,
} from '../../shaders/lib/indices.ts';
import {
  checkIndices,
  type CheckIndicesOptions,
  checkIndicesRun,
  checkIndicesWorkgroup,
} from '../../shaders/checkIndices.ts';
import { rows, type RowsOptions, rowsWorkgroup } from '../../shaders/rows.ts';
import { wgslType } from '../core/dtype.ts';
import type { FaultReport } from '../gpu/faults.ts';
import { type Bindings, defineKernel } from '../gpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { bindsAsVectors, output } from './output.ts';

export type { IndexMode };

/**
 * The geometry of a gather, x [batch, outer, rows, inner] → out [batch, outer, entries, inner], or of its adjoint, and
 * how an entry finds its row. `limit`, `span`, `slab`, `sizes`: see shaders/lib/indices.
 */
export interface Indexing {
  addressing: IndexAddressing;
  mode: IndexMode;
  batch: number;
  outer: number;
  rows: number;
  entries: number;
  inner: number;
  limit: number;
  span?: number;
  slab?: number;
  sizes?: readonly number[];
}

/** What is told of indices outside their range. With 'none' they are silent. */
export type IndexChecking = { check: 'none' } | { check: Exclude<IndexCheck, 'none'>; fault: FaultReport };

export const unchecked: IndexChecking = { check: 'none' };

/** The options of the index library. */
export function indexOptions({ addressing, mode }: Indexing, indices: Tensor, { check }: IndexChecking) {
  return { index: wgslType(indices.dtype), addressing, mode, check };
}

/** The runtime parameters of the index library. */
export function indexValues({ limit, span = 1, slab = 1, sizes = [] }: Indexing, indices: Tensor) {
  return { limit, span, slab, sizes, positions: indices.size };
}

const definition = {
  bindings: ({ index }: RowsOptions): Bindings => ({ indices: `read ${index}`, out: 'write u32' }),
  params: { count: 'u32', entries: 'u32', rows: 'u32', total: 'u32', ...indexParams },
  source: rows,
} as const;
const silent = defineKernel({ name: 'rows', ...definition });
const reporting = defineKernel({ name: 'rows checked', ...definition, faults: true });

/** Entries that an invocation finds rows for on a software adapter, which pays for every invocation. */
const rowsRun = 8;

/** The row of every entry, counted through all batches; batch · rows where it names none. */
export function rowsKernel(
  op: string,
  indices: Tensor,
  indexing: Indexing,
  checking: IndexChecking = unchecked,
): Tensor {
  const { batch, entries, rows } = indexing;
  const count = batch * entries;
  const out = output(indices.device, { shape: [count], dtype: 'uint32' }, op);
  if (count === 0) return out;
  const serial = indices.device.adapter.class === 'cpu' && count >= rowsRun;
  // As in gathers: a software rasteriser walks through the code that reports every time.
  const apart = serial && checking.check !== 'none';
  if (apart) checkIndicesKernel(indices, indexing, checking);
  const inside = apart ? unchecked : checking;
  const run = serial ? rowsRun : 1;
  const launch = {
    options: { ...indexOptions(indexing, indices, inside), run, batched: batch > 1 },
    bindings: { indices: indices.storage, out: out.storage },
    params: { count, entries, rows, total: batch * rows, ...indexValues(indexing, indices) },
    workgroups: Math.ceil(count / (rowsWorkgroup * run)),
  };
  if (inside.check === 'none') indices.device.launch(silent, launch);
  else indices.device.launch(reporting, { ...launch, fault: inside.fault });
  return out;
}

const checking = defineKernel({
  name: 'check indices',
  bindings: ({ index, width }: CheckIndicesOptions): Bindings => ({
    indices: width === 4 ? `read vec4<${index}>` : `read ${index}`,
  }),
  params: indexParams,
  source: checkIndices,
  faults: true,
});

/** Looks the indices through in a launch of its own, and reports the first that is a fault. */
export function checkIndicesKernel(
  indices: Tensor,
  indexing: Indexing,
  { check, fault }: Exclude<IndexChecking, { check: 'none' }>,
): void {
  if (indices.size === 0) return;
  const { addressing } = indexing;
  const width = addressing !== 'coordinates' && bindsAsVectors(indices) ? 4 : 1;
  indices.device.launch(checking, {
    options: { index: wgslType(indices.dtype), addressing, check, width },
    bindings: { indices: indices.storage },
    params: indexValues(indexing, indices),
    workgroups: Math.ceil(indices.size / (checkIndicesRun * checkIndicesWorkgroup)),
    fault,
  });
}
