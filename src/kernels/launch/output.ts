/**
 * @file Tensors for kernels to write, and views of existing values.
 */
import { bytesPerElement } from '../../core/dtype.ts';
import { sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Device } from '../../webgpu/device.ts';
import type { Origin } from '../../history/origin.ts';
import { callSite } from '../../history/callSite.ts';
import { makeTensor, type Tensor } from '../../tensor/tensor.ts';

/** Makes the tensor that the kernel of `op` writes; its values are those of `storage`, by default undefined. */
export function output(
  device: Device,
  spec: TensorSpec,
  op: string,
  storage = device.allocate(sizeOf(spec.shape) * bytesPerElement(spec.dtype), op),
): Tensor {
  return makeTensor(device, storage, { shape: spec.shape, dtype: spec.dtype }, unrecorded(op));
}

/** Returns the values of `x` under another spec of the same size, without a copy. */
export function view(x: Tensor, spec: TensorSpec, op: string, origin: Origin = unrecorded(op)): Tensor {
  return makeTensor(x.device, x.storage.retain(), { shape: spec.shape, dtype: spec.dtype }, origin);
}

function unrecorded(op: string): Origin {
  return { kind: 'unrecorded', op, inputs: undefined, callSite: callSite() };
}

/** Returns whether `x` may be bound as an array of units of `n` words: a partial last unit must fit in the buffer. */
export function bindsInUnits(x: Tensor, n: number): boolean {
  return Math.ceil(x.size / n) * n * 4 <= x.storage.bytes;
}

/** Returns whether `x` may be bound as an array of vec4. */
export function bindsAsVectors(x: Tensor): boolean {
  return bindsInUnits(x, 4);
}
