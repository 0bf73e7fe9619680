/** @file Bind groups whose errors are typed: a buffer of the app's that is invalid, or one of the library's without memory. */
import { DeviceError } from '../core/errors.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import type { Pipeline } from './pipelines.ts';
import type { ErrorWatch } from './watch.ts';

/** A bind group of a launch of `pipeline`. `buffers` are those that its `entries` name. */
export function watchedBindGroup(
  device: GPUDevice,
  watch: ErrorWatch,
  { label, bindings }: Pipeline,
  entries: GPUBindGroupEntry[],
  buffers: readonly DeviceBuffer[],
): GPUBindGroup {
  return watch.during(
    'validation',
    () => device.createBindGroup({ label: `retrograd ${label}`, layout: bindings.gpu, entries }),
    (error) =>
      buffers.some(({ failure }) => failure)
        ? null
        : new DeviceError({
            op: label,
            rule: 'a launch binds valid buffers, large enough for what its kernel declares.',
            received: error.message,
            hint: 'check the buffers that your app lends: alive, on this device, with usage STORAGE.',
          }),
  );
}

/** One command on a buffer without memory would spoil its whole submission. Errors: OutOfMemoryError. */
export function requireMemory({ failure }: DeviceBuffer): void {
  if (failure) throw failure;
}
