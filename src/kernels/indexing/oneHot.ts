/** @file Launches one-hot encodings. */
import { oneHot, type OneHotOptions, oneHotWorkgroup } from '../../../shaders/oneHot.ts';
import { sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { bitsOf } from '../../core/bits.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { output } from '../launch/output.ts';
import { elementsPerInvocation } from '../launch/strided.ts';

const kernel = defineKernel({
  name: 'oneHot',
  bindings: ({ width }: OneHotOptions): Bindings => ({
    indices: 'read u32',
    out: width === 4 ? 'write vec4<u32>' : 'write u32',
  }),
  params: { count: 'u32', depth: 'u32', inner: 'u32', line: 'u32', groups: 'u32', on: 'u32', off: 'u32' },
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
  const depth = spec.shape[axis] as number;
  const inner = sizeOf(spec.shape.slice(axis + 1));
  const last = inner === 1;
  const profile = profileOf(indices.device);
  const width: OneHotOptions['width'] =
    last && depth % 4 === 0 && profile.strided.elementsPerInvocation > 1 ? 4 : 1;
  const line = (last ? depth : inner) / width;
  const count = out.size / width;
  const perInvocation = elementsPerInvocation(profile, count, (n) => n <= line);
  const groups = Math.ceil(line / perInvocation);
  indices.device.launch(kernel, {
    options: { last, width, perInvocation },
    bindings: { indices: indices.storage, out: out.storage },
    params: { count, depth, inner, line, groups, on: bitsOf(on, spec.dtype), off: bitsOf(off, spec.dtype) },
    workgroups: Math.ceil(((count / line) * groups) / oneHotWorkgroup),
  });
  return out;
}
