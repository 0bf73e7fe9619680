/** @file The numbers that ops are given. Each is uploaded once per device, and the recently used ones are cached. */
import type { DType } from '../../core/dtype.ts';
import { withDevice } from '../../webgpu/current.ts';
import type { Device } from '../../webgpu/device.ts';
import type { Storage } from '../../webgpu/storage.ts';
import { tensor } from '../../tensor/create.ts';
import { tidy, track } from '../../tensor/scope.ts';
import { alias, Tensor } from '../../tensor/tensor.ts';

/** The maximum number of scalars cached per device. */
const maxConstants = 256;
const constants = new WeakMap<Device, Map<string, Tensor>>();
/** The numbers of cached scalars, by their storages. */
const numbers = new WeakMap<Storage, number>();

/** The number that `storage` holds, if it was passed to an op as a number. */
export function numberIn(storage: Storage): number | undefined {
  return numbers.get(storage);
}

/**
 * Returns a scalar with `value`, which is uploaded once. The tensor is a separate handle, freed with the current scope, and stays
 * valid if the cache drops the scalar.
 */
export function constant(device: Device, value: number, dtype: DType): Tensor {
  const known = constants.get(device) ?? new Map<string, Tensor>();
  constants.set(device, known);
  // Buffers read by an app's encoder must not be used for anything else, so encoders have separate scalars.
  const owner = device.executor.mode === 'encoded' ? 'encoder ' : '';
  const key = `${owner}${dtype} ${Object.is(value, -0) ? '-0' : value}`;
  const found = known.get(key);
  if (found && !found.storage.buffer.failure) return handleOf(found);
  found?.dispose();
  if (!found && known.size >= maxConstants) evictOldest(known);
  const made = withDevice(device, () => tidy(() => alias(tensor(value, { dtype }))));
  known.set(key, made);
  numbers.set(made.storage, value);
  return handleOf(made);
}

/** Drops the cache's own handle. Callers, tapes and recordings may still hold the values. */
function evictOldest(known: Map<string, Tensor>): void {
  const [key, oldest] = known.entries().next().value as [string, Tensor];
  known.delete(key);
  oldest.dispose();
}

/** Returns a second handle with the same id, in the current scope. It isn't counted as a tensor made by the app. */
function handleOf(cached: Tensor): Tensor {
  const { device, storage, origin, id } = cached;
  const handle = new Tensor(device, storage.retain(), cached, origin, id);
  track(handle);
  return handle;
}
