/** @file Launches binary searches. */
import {
  searchSorted,
  type SearchSortedOptions,
  searchSortedWorkgroup,
} from '../../../shaders/searchSorted.ts';
import { wgslType } from '../../core/dtype.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { ascendingKey } from './keys.ts';
import { kernels } from '../loading/loadKernels.ts';
import { output } from '../launch/output.ts';

const kernel = defineKernel({
  name: 'searchSorted',
  bindings: ({ type }: SearchSortedOptions): Bindings => ({
    sorted: `read ${type}`,
    values: `read ${type}`,
    out: 'write i32',
  }),
  params: { count: 'u32', queries: 'u32', n: 'u32', stride: 'u32' },
  reads: ({ single }) => ['count', ...(single ? [] : (['queries'] as const)), 'n', 'stride'],
  source: searchSorted,
});

/**
 * For each of `values` [rows, ...], the number of elements of its row of `sorted` [rows, n] that are less, or less or equal if
 * `right`. Both have one dtype; NaN is the largest.
 */
export function searchSortedKernel(sorted: Tensor, values: Tensor, spec: TensorSpec, right: boolean): Tensor {
  const { device, dtype } = sorted;
  const [rows, n] = sorted.shape as [number, number];
  if (n === 0 || values.size === 0) return kernels().fillKernel(device, spec, 0, 'searchSorted');
  const out = output(device, spec, 'searchSorted');
  device.launch(kernel, {
    options: { type: wgslType(dtype), key: ascendingKey(dtype), right, single: rows === 1 },
    bindings: { sorted: sorted.storage, values: values.storage, out: out.storage },
    params: { count: out.size, queries: out.size / rows, n, stride: 2 ** Math.floor(Math.log2(n)) },
    workgroups: Math.ceil(out.size / searchSortedWorkgroup),
  });
  return out;
}
