/** @file gpuTime: the total GPU time of launches. */
import { requireFunction } from '../core/arguments.ts';
import { checkOptions } from '../core/options.ts';
import { getDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { requireDevice } from '../webgpu/requireDevice.ts';
import { timePasses } from '../webgpu/timing.ts';
import type { ProfileOptions } from './profile.ts';

/**
 * Measures the GPU time of the launches inside `run`, in milliseconds; null if the device has no timestamps, and while a
 * profile runs: then `run` isn't called.
 */
export async function gpuTime(run: () => void, options: ProfileOptions = {}): Promise<number | null> {
  requireFunction('gpuTime', 'run', run);
  checkOptions('gpuTime', options, ['device']);
  const device: Device = options.device ?? getDevice();
  requireDevice('gpuTime', device);
  return timePasses(device, run);
}
