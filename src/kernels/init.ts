/** @file init: what an app awaits before it makes tensors. */
import { open, type OpenOptions } from '../webgpu/open.ts';
import type { Device, DeviceTuning } from '../webgpu/device.ts';
import { loadCore } from './loadCore.ts';

export interface InitOptions extends OpenOptions {
  /** What measures which variants of kernels are fast here: `tuning(…)`. Default: they are guessed. */
  tuning?: DeviceTuning;
}

/**
 * Opens a device and makes it the current one, and loads the core's kernels beside. Called again it returns the current
 * device, unless options name another `device`; `tuning` counts at every call.
 * Errors: DeviceError where there is no WebGPU or no adapter, or where the kernels can't be loaded.
 */
export async function init({ tuning, ...options }: InitOptions = {}): Promise<Device> {
  const [device] = await Promise.all([open(options), loadCore()]);
  await tuning?.attach(device);
  return device;
}
