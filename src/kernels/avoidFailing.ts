/** @file Makes a device avoid variants that don't compile. The implementation is loaded when the first one fails. */
import type { Device } from '../webgpu/device.ts';

export function avoidFailing(device: Device): void {
  device.pipelines.onFailure ??= async (kernel, options) =>
    (await import('./avoidLater.ts')).avoidPipeline(device, kernel, options);
}
