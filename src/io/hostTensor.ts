/** @file Tensors on the host, as files hold them: values, shape and dtype, before any device sees them. */
import type { DType } from '../core/dtype.ts';
import type { Shape } from '../core/shape.ts';
import { tensor } from '../tensor/create.ts';
import type { Tensor } from '../tensor/tensor.ts';

export interface HostTensor {
  readonly shape: Shape;
  readonly dtype: DType;
  /** Row-major; bools are bytes. */
  readonly data: Float32Array | Int32Array | Uint32Array | Uint8Array;
}

/** A tensor on the device whose history says that a file brought it. */
export function uploadLoaded({ shape, dtype, data }: HostTensor, file: string): Tensor {
  const made = tensor(data, { shape, dtype });
  made.origin = { kind: 'loaded', from: `'${file}'` };
  return made;
}

/** The values of a tensor, read back. */
export async function hostTensorOf(t: Tensor): Promise<HostTensor> {
  const { shape, dtype } = t;
  return { shape, dtype, data: (await t.data()) as HostTensor['data'] };
}

/** How many values are NaN or infinite. */
export function countNotFinite({ dtype, data }: HostTensor): number {
  if (dtype !== 'float32') return 0;
  let count = 0;
  for (const value of data) if (!Number.isFinite(value)) count++;
  return count;
}
