/** @file Launches conversions between float32 and float16. */
import { float16, type Float16Options, float16Workgroup } from '../../../shaders/float16.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { output } from '../launch/output.ts';

const kernel = defineKernel({
  name: 'float16',
  bindings: ({ direction }: Float16Options): Bindings =>
    direction === 'pack' ? { x: 'read f32', out: 'write u32' } : { x: 'read u32', out: 'write f32' },
  params: { count: 'u32' },
  source: float16,
});

function convert(op: string, x: Tensor, direction: Float16Options['direction']): Tensor {
  const dtype = direction === 'pack' ? 'float16' : 'float32';
  const out = output(x.device, { shape: x.shape, dtype }, op);
  if (x.size === 0) return out;
  x.device.launch(kernel, {
    options: { direction },
    bindings: { x: x.storage, out: out.storage },
    params: { count: x.size },
    workgroups: Math.ceil(x.size / (2 * float16Workgroup)),
  });
  return out;
}

/** Rounds a float32 tensor to float16. */
export const packFloat16 = (op: string, x: Tensor): Tensor => convert(op, x, 'pack');

/** Converts a float16 tensor to float32, exactly. */
export const unpackFloat16 = (op: string, x: Tensor): Tensor => convert(op, x, 'unpack');
