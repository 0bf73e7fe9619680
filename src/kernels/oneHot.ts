/** @file Launches one-hot encodings. */
import { oneHot, oneHotWorkgroup } from '../../shaders/oneHot.ts';
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { bitsOf } from '../core/bits.ts';
import { output } from './output.ts';

const kernel = defineKernel({
  name: 'oneHot',
  bindings: { indices: 'read u32', out: 'write u32' },
  params: { count: 'u32', depth: 'u32', inner: 'u32', on: 'u32', off: 'u32' },
  source: oneHot,
});

/** `spec` holds the depth at `axis`. */
export function oneHotKernel(
  indices: Tensor,
  spec: TensorSpec,
  axis: number,
  on: number,
  off: number,
): Tensor {
  const out = output(indices.device, spec, 'oneHot');
  if (out.size === 0) return out;
  indices.device.launch(kernel, {
    options: {},
    bindings: { indices: indices.storage, out: out.storage },
    params: {
      count: out.size,
      depth: spec.shape[axis] as number,
      inner: sizeOf(spec.shape.slice(axis + 1)),
      on: bitsOf(on, spec.dtype),
      off: bitsOf(off, spec.dtype),
    },
    workgroups: Math.ceil(out.size / oneHotWorkgroup),
  });
  return out;
}
