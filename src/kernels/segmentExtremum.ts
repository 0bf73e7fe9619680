/** @file Launches the elementwise maximum or minimum of each segment's rows, which are grouped by segment as in a scatter. */
import {
  segmentExtremum,
  type SegmentExtremumOptions,
  segmentWorkgroup,
} from '../../shaders/segmentExtremum.ts';
import { wgslType } from '../core/dtype.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import { profileOf } from './adapterProfiles.ts';
import { bitsOf } from '../core/bits.ts';
import { fillKernel } from './fill.ts';
import type { IndexChecking, Indexing } from './indexing.ts';
import { kernels } from './loadKernels.ts';
import { output } from './output.ts';
import { groupByKey } from './sort.ts';

const kernel = defineKernel({
  name: 'segment extremum',
  bindings: ({ type }: SegmentExtremumOptions): Bindings => ({
    order: 'read u32',
    offsets: 'read u32',
    x: `read ${type}`,
    out: `write ${type}`,
  }),
  params: { count: 'u32', inner: 'u32', neutral: 'u32' },
  source: segmentExtremum,
});

/** The value of a segment without rows: the lowest or highest number of its dtype. */
const neutral = {
  max: { float32: Number.NEGATIVE_INFINITY, int32: -(2 ** 31), uint32: 0 },
  min: { float32: Number.POSITIVE_INFINITY, int32: 2 ** 31 - 1, uint32: 2 ** 32 - 1 },
} as const;

/** Returns `extremum` of the rows of `x` [batch, entries, inner] by segment; those whose id is out of range are ignored. */
export function segmentExtremumKernel(
  op: string,
  extremum: 'max' | 'min',
  ids: Tensor,
  x: Tensor,
  spec: TensorSpec,
  indexing: Indexing,
  checking: IndexChecking,
): Tensor {
  const { batch, rows, inner } = indexing;
  const value = neutral[extremum][spec.dtype as keyof typeof neutral.max];
  const keys = kernels().rowsKernel(op, ids, indexing, checking);
  if (keys.size === 0) return fillKernel(x.device, spec, value, op);
  const out = output(x.device, spec, op);
  if (out.size === 0) return out;
  const { order, offsets } = groupByKey(op, keys, batch * rows, profileOf(x.device).grouping);
  x.device.launch(kernel, {
    options: { type: wgslType(spec.dtype), extremum },
    bindings: { order: order.storage, offsets: offsets.storage, x: x.storage, out: out.storage },
    params: { count: out.size, inner, neutral: bitsOf(value, spec.dtype) },
    workgroups: Math.ceil(out.size / segmentWorkgroup),
  });
  return out;
}
