/** @file Blocks variants that don't compile. The implementation is loaded when the first one fails. */
import type { Device } from '../../webgpu/device.ts';

export function blockFailing(device: Device): void {
  device.pipelines.onFailure ??= async (kernel, options) =>
    (await import('../loading/lazyBlocklist.ts')).blockPipeline(device, kernel, options);
}
