/** @file Selects kernels as for another adapter: selection depends on the adapter's profile. */
import type { AdapterClass } from '../../src/webgpu/adapter.ts';
import { getDevice } from '../../src/webgpu/current.ts';
import { createProfile, type DeviceProfile } from '../../src/kernels/selection/deviceProfile.ts';
import { loadKernelsFor } from '../../src/kernels/loading/loadKernelsFor.ts';

await Promise.all([loadKernelsFor('discrete'), loadKernelsFor('software')]);

export const adapterClasses: readonly AdapterClass[] = ['cpu', 'gpu'];

/** Returns the profile of the current device, as if its adapter were of class `kind`. */
export function profileFor(kind: AdapterClass): DeviceProfile {
  return createProfile(getDevice(), kind === 'cpu' ? 'software' : 'discrete');
}

/** Runs `body` as if the current device's adapter were of class `kind`. */
export function asAdapter<T>(kind: AdapterClass, body: () => T | Promise<T>): Promise<T> {
  return withProfile(profileFor(kind), body);
}

/** Returns the same for a synchronous `body`. */
export function onAdapter<T>(kind: AdapterClass, body: () => T): T {
  const device = getDevice();
  const own = device.profile;
  device.profile = profileFor(kind);
  try {
    return body();
  } finally {
    device.profile = own;
  }
}

/** Runs `body` with `profile` instead of the current device's own. */
export async function withProfile<T>(profile: DeviceProfile, body: () => T | Promise<T>): Promise<T> {
  const device = getDevice();
  const own = device.profile;
  device.profile = profile;
  try {
    return await body();
  } finally {
    device.profile = own;
  }
}
