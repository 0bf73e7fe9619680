/** @file Launches the replacement of rows by updates: the last update of each row, and the rows with their updates. */
import { type IndexLibraryOptions, indexParams } from '../../../shaders/lib/indices.ts';
import {
  lastUpdate,
  replaceRows,
  type ReplaceRowsOptions,
  updatesWorkgroup,
} from '../../../shaders/rowUpdates.ts';
import { bitsOf } from '../../core/bits.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { type IndexChecking, type Indexing, indexOptions, indexValues } from './indexing.ts';
import { defineChecked, launchChecked } from '../launch/checkedKernel.ts';
import { kernels } from '../loading/loadKernels.ts';
import { bindsAsVectors, output } from '../launch/output.ts';

const finding = /* @__PURE__ */ defineChecked({
  name: 'last update',
  bindings: ({ index }: IndexLibraryOptions): Bindings => ({
    indices: `read ${index}`,
    last: 'read_write atomic<i32>',
  }),
  params: { count: 'u32', ...indexParams },
  source: lastUpdate,
});

const replacing = /* @__PURE__ */ defineKernel({
  name: 'replace rows',
  // Elements are moved as words. `inner` and `count` are in units.
  bindings: ({ unit }: ReplaceRowsOptions): Bindings => ({
    x: unit === 'element' ? 'read u32' : 'read vec4<u32>',
    updates: unit === 'vector' ? 'read vec4<u32>' : 'read u32',
    last: unit === 'four rows' ? 'read vec4<i32>' : 'read i32',
    out: unit === 'element' ? 'write u32' : 'write vec4<u32>',
  }),
  params: { count: 'u32', inner: 'u32' },
  source: replaceRows,
});

/** Returns the position of the last of the coordinates that address each row, within its batch; -1 where none does. */
export function lastUpdateKernel(
  op: string,
  indices: Tensor,
  spec: TensorSpec,
  indexing: Indexing,
  checking: IndexChecking,
): Tensor {
  const { device } = indices;
  const out = output(device, spec, op);
  if (out.size > 0) kernels().fillRange(device, out.storage, out.size, bitsOf(-1, 'int32'));
  if (out.size === 0 || indexing.entries === 0) return out;
  const launch = {
    options: indexOptions(indexing, indices, checking),
    bindings: { indices: indices.storage, last: out.storage },
    params: { count: indexing.entries, ...indexValues(indexing, indices) },
    workgroups: Math.ceil(indexing.entries / updatesWorkgroup),
  };
  launchChecked(device, finding, launch, checking);
  return out;
}

/** Returns `x` with the rows that have an update, by its position in `last`, replaced. */
export function replaceRowsKernel(
  op: string,
  x: Tensor,
  updates: Tensor,
  last: Tensor,
  spec: TensorSpec,
): Tensor {
  const { device } = x;
  const out = output(device, spec, op);
  if (out.size === 0) return out;
  const perInvocation = profileOf(device).strided.elementsPerInvocation;
  const inner = out.size / last.size;
  const unit = unitFor(inner, [x, updates, last]);
  const width = unit === 'element' ? 1 : 4;
  const count = Math.ceil(out.size / width);
  device.launch(replacing, {
    options: { unit, perInvocation },
    bindings: { x: x.storage, updates: updates.storage, last: last.storage, out: out.storage },
    params: { count, inner: Math.max(1, inner / width) },
    workgroups: Math.ceil(count / (perInvocation * updatesWorkgroup)),
  });
  return out;
}

function unitFor(inner: number, operands: readonly Tensor[]): ReplaceRowsOptions['unit'] {
  if (!operands.every(bindsAsVectors)) return 'element';
  if (inner === 1) return 'four rows';
  return inner % 4 === 0 ? 'vector' : 'element';
}
