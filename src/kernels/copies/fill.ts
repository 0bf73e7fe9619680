/** @file Launches fills: a core kernel, which code outside `src/kernels` accesses by `kernels()`. */
import { fill, fillWorkgroup } from '../../../shaders/fill.ts';
import { bitsOf } from '../../core/bits.ts';
import { sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Device } from '../../webgpu/device.ts';
import { defineKernel } from '../../webgpu/kernel.ts';
import type { DynamicScalar } from '../../webgpu/params.ts';
import type { BoundRange } from '../../webgpu/boundRange.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { output } from '../launch/output.ts';
import { elementsPerInvocation } from '../launch/strided.ts';

export const fillMap = defineKernel({
  name: 'fill',
  bindings: { out: 'write u32' },
  params: { count: 'u32', bits: 'u32' },
  source: fill,
});

export function fillKernel(device: Device, spec: TensorSpec, value: number, op: string): Tensor {
  const size = sizeOf(spec.shape);
  const bits = bitsOf(value, spec.dtype);
  if (device.executor.mode === 'eager' && size <= profileOf(device).fill.uploadedElements) {
    return output(device, spec, op, device.upload(new Uint32Array(size).fill(bits), op));
  }
  const out = output(device, spec, op);
  if (size > 0) fillRange(device, out.storage, size, bits);
  return out;
}

/** Writes the word `bits` to the first `count` words of `out`. */
export function fillRange(
  device: Device,
  out: BoundRange,
  count: number,
  bits: number | DynamicScalar,
): void {
  const perInvocation = elementsPerInvocation(profileOf(device), count, () => true);
  device.launch(fillMap, {
    options: { perInvocation },
    bindings: { out },
    params: { count, bits },
    workgroups: Math.ceil(count / (perInvocation * fillWorkgroup)),
  });
}
