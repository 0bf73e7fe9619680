/** @file Launches kernels that only process indices: to resolve them to rows, or to validate them. */
import {
  checkIndices,
  type CheckIndicesOptions,
  checkedPerInvocation,
  checkIndicesWorkgroup,
} from '../../../shaders/checkIndices.ts';
import { indexParams } from '../../../shaders/lib/indices.ts';
import { rows, type RowsOptions, rowsWorkgroup } from '../../../shaders/rows.ts';
import { wgslType } from '../../core/dtype.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { defineChecked, launchChecked } from '../launch/checkedKernel.ts';
import { type IndexChecking, type Indexing, indexOptions, indexValues, unchecked } from './indexing.ts';
import { bindsAsVectors, output } from '../launch/output.ts';

const kernel = defineChecked({
  name: 'rows',
  bindings: ({ index }: RowsOptions): Bindings => ({ indices: `read ${index}`, out: 'write u32' }),
  params: { count: 'u32', entries: 'u32', rows: 'u32', total: 'u32', ...indexParams },
  source: rows,
});

/** Computes the row of each index, counted through all batches; batch · rows if it selects none. */
export function rowsKernel(op: string, indices: Tensor, indexing: Indexing, checking: IndexChecking): Tensor {
  const { batch, entries, rows } = indexing;
  const count = batch * entries;
  const out = output(indices.device, { shape: [count], dtype: 'uint32' }, op);
  if (count === 0) return out;
  const { indicesPerInvocation, checkedSeparately } = profileOf(indices.device).indices;
  const perInvocation = count >= indicesPerInvocation ? indicesPerInvocation : 1;
  const separate = count >= checkedSeparately && checking.check !== 'none';
  if (separate) checkIndicesKernel(indices, indexing, checking);
  const inside = separate ? unchecked : checking;
  const launch = {
    options: { perInvocation, batched: batch > 1, ...indexOptions(indexing, indices, inside) },
    bindings: { indices: indices.storage, out: out.storage },
    params: { count, entries, rows, total: batch * rows, ...indexValues(indexing, indices) },
    workgroups: Math.ceil(count / (rowsWorkgroup * perInvocation)),
  };
  launchChecked(indices.device, kernel, launch, inside);
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

/** Validates indices in a separate launch, which reports the first that is out of range. */
export function checkIndicesKernel(
  indices: Tensor,
  indexing: Indexing,
  { check, fault }: Exclude<IndexChecking, { check: 'none' }>,
): void {
  if (indices.size === 0) return;
  const { limit, sizes = [limit] } = indexing;
  const limits = sizes.length;
  const width = 4 % limits === 0 && bindsAsVectors(indices) ? 4 : 1;
  indices.device.launch(checking, {
    options: { index: wgslType(indices.dtype), check, limits, width },
    bindings: { indices: indices.storage },
    // Four indices that are read at once have the first four sizes. A parameter holds eight: the rest is dropped.
    params: { ...indexValues(indexing, indices), sizes: [...sizes, ...sizes, ...sizes, ...sizes] },
    workgroups: Math.ceil(indices.size / (checkedPerInvocation * checkIndicesWorkgroup)),
    fault,
  });
}
