/** @file Launches fills. */
import { fill, fillWorkgroup } from '../../shaders/fill.ts';
import type { DType } from '../core/dtype.ts';
import { numberToFloat16 } from '../core/float16.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { Device } from '../webgpu/device.ts';
import { defineKernel } from '../webgpu/kernel.ts';
import type { DynamicScalar } from '../webgpu/params.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { output } from './output.ts';

export const fillMap = defineKernel({
  name: 'fill',
  bindings: { out: 'write u32' },
  params: { count: 'u32', bits: 'u32' },
  source: fill,
});

const word = new DataView(new ArrayBuffer(4));

/** The 32 bits that store `value`; a float16 is stored twice. */
export function bitsOf(value: number, dtype: DType): number {
  if (dtype === 'float16') return numberToFloat16(value) * 0x10001;
  if (dtype === 'float32') word.setFloat32(0, value);
  else if (dtype === 'int32') word.setInt32(0, value);
  else word.setUint32(0, dtype === 'bool' ? Number(value !== 0) : value);
  return word.getUint32(0);
}

export function fillKernel(device: Device, spec: TensorSpec, value: number, op: string): Tensor {
  const out = output(device, spec, op);
  if (out.size > 0) fillRange(device, out.storage, out.size, bitsOf(value, spec.dtype));
  return out;
}

/** Writes the word `bits` to the first `count` words of `out`. */
export function fillRange(
  device: Device,
  out: BoundRange,
  count: number,
  bits: number | DynamicScalar,
): void {
  device.launch(fillMap, {
    options: {},
    bindings: { out },
    params: { count, bits },
    workgroups: Math.ceil(count / fillWorkgroup),
  });
}
