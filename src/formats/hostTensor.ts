/** @file Host tensors: values, shape and dtype as read from or written to a file. */
import type { DType } from '../core/dtype.ts';
import type { Shape } from '../core/shape.ts';
import { tensor } from '../tensor/create.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** A tensor on the host: its values, row-major, with shape and dtype. */
export interface HostTensor {
  readonly shape: Shape;
  readonly dtype: DType;
  /** Row-major; bools are bytes. */
  readonly data: Float32Array | Int32Array | Uint32Array | Uint8Array;
}

/** Uploads a tensor whose history names the file that it was loaded from. */
export function uploadLoaded({ shape, dtype, data }: HostTensor, file: string): Tensor {
  const made = tensor(data, { shape, dtype });
  made.origin = { kind: 'loaded', from: `'${file}'` };
  return made;
}

/** Reads back a tensor. */
export async function hostTensorOf(t: Tensor): Promise<HostTensor> {
  const { shape, dtype } = t;
  return { shape, dtype, data: (await t.data()) as HostTensor['data'] };
}

/** Returns the number of values that are NaN or infinite. */
export function countNotFinite({ dtype, data }: HostTensor): number {
  if (dtype !== 'float32') return 0;
  let count = 0;
  for (const value of data) if (!Number.isFinite(value)) count++;
  return count;
}
