/** @file Launches the search for the support of a projection onto the simplex. */
import { simplexSupport, supportWorkgroup } from '../../../shaders/simplexSupport.ts';
import { defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { linesAlong } from '../selection/lanes.ts';
import { output } from '../launch/output.ts';

const kernel = defineKernel({
  name: 'simplexSupport',
  bindings: { x: 'read f32', out: 'write f32' },
  params: { count: 'u32', n: 'u32', inner: 'u32' },
  source: simplexSupport,
});

/** 1 for the elements of `x` that stay positive when its lines along `axis` are projected onto the simplex, 0 for others. */
export function simplexSupportKernel(x: Tensor, axis: number): Tensor {
  const out = output(x.device, x, 'simplexSupport');
  if (out.size === 0) return out;
  const lines = linesAlong(x.shape, axis);
  x.device.launch(kernel, {
    options: {},
    bindings: { x: x.storage, out: out.storage },
    params: { ...lines },
    workgroups: Math.ceil(lines.count / supportWorkgroup),
  });
  return out;
}
