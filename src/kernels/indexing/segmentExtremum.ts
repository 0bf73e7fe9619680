/** @file Launches the elementwise maximum or minimum of each segment's rows. */
import {
  segmentExtremum,
  type SegmentExtremumOptions,
  segmentWorkgroup,
} from '../../../shaders/segmentExtremum.ts';
import { wgslType } from '../../core/dtype.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { bitsOf } from '../../core/bits.ts';
import type { IndexChecking, Indexing } from './indexing.ts';
import { kernels } from '../loading/loadKernels.ts';
import { output } from '../launch/output.ts';

const kernel = defineKernel({
  name: 'segment extremum',
  bindings: ({ type }: SegmentExtremumOptions): Bindings => ({
    keys: 'read u32',
    x: `read ${type}`,
    out: `read_write atomic<${type === 'f32' ? 'i32' : type}>`,
  }),
  params: { count: 'u32', inner: 'u32', segments: 'u32' },
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
  const isFloat = spec.dtype === 'float32';
  const bits = bitsOf(neutral[extremum][spec.dtype as keyof typeof neutral.max], spec.dtype);
  const { elementwiseKernel, fillRange, rowsKernel } = kernels();
  const keys = rowsKernel(op, ids, indexing, checking);
  const out = output(x.device, isFloat ? { shape: spec.shape, dtype: 'int32' } : spec, op);
  if (out.size > 0) fillRange(x.device, out.storage, out.size, isFloat ? ordered(bits) : bits);
  if (out.size > 0 && x.size > 0)
    x.device.launch(kernel, {
      options: { type: wgslType(x.dtype), extremum },
      bindings: { keys: keys.storage, x: x.storage, out: out.storage },
      params: { count: x.size, inner, segments: batch * rows },
      workgroups: Math.ceil(x.size / segmentWorkgroup),
    });
  return isFloat
    ? elementwiseKernel(op, 'bitcast<f32>(select(a ^ 0x7fffffff, a, a >= 0))', [out], spec)
    : out;
}

/** The bits of a float as those of an integer in the order of the floats, as in the shader; its own inverse. */
const ordered = (bits: number) => (bits < 2 ** 31 ? bits : (bits ^ 0x7fffffff) >>> 0);
