/**
 * @file Indexing: the common form of all gathers and scatters, entries that select rows of a table.
 */
import type { IndexAddressing, IndexCheck, IndexMode } from '../../../shaders/lib/indices.ts';
import { wgslType } from '../../core/dtype.ts';
import type { FaultReport } from '../../webgpu/faults.ts';
import type { Tensor } from '../../tensor/tensor.ts';

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

/** How out-of-range indices are reported; with 'none' they aren't. */
export type IndexChecking = { check: 'none' } | { check: Exclude<IndexCheck, 'none'>; fault: FaultReport };

export const unchecked: IndexChecking = { check: 'none' };

/** Returns the options of the index library. */
export function indexOptions(
  { addressing, mode, sizes = [] }: Indexing,
  indices: Tensor,
  { check }: IndexChecking,
) {
  return { index: wgslType(indices.dtype), addressing, mode, check, depth: sizes.length };
}

/** Returns the runtime parameters of the index library. */
export function indexValues({ limit, span = 1, slab = 1, sizes = [] }: Indexing, indices: Tensor) {
  return { limit, span, slab, sizes, positions: indices.size };
}
