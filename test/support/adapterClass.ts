/** @file Kernels choose variants by the adapter's class; this has them choose as for another one. */
import type { AdapterClass } from '../../src/webgpu/adapter.ts';
import { getDevice } from '../../src/webgpu/current.ts';

export const adapterClasses: readonly AdapterClass[] = ['cpu', 'gpu'];

/** Runs `body` as if the current device's adapter were of class `kind`. */
export async function asAdapter<T>(kind: AdapterClass, body: () => T | Promise<T>): Promise<T> {
  const { adapter } = getDevice();
  const own = adapter.class;
  adapter.class = kind;
  try {
    return await body();
  } finally {
    adapter.class = own;
  }
}
