/** @file Bind groups with typed errors: an invalid buffer of the app, or a buffer of the library without memory. */
import { DeviceError } from '../core/errors.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import type { Pipeline } from './pipelines.ts';
import type { ErrorWatch } from './watch.ts';

/** Creates a bind group of a launch of `pipeline`. `buffers` are those that its `entries` name. */
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
            rule: 'a launch binds valid buffers that are large enough.',
            received: error.message,
            hint: 'check the buffers that your app passes: not destroyed, on this device, with usage STORAGE.',
          }),
  );
}

/** One command on a buffer without memory would invalidate its whole submission. Errors: OutOfMemoryError. */
export function requireMemory({ failure }: DeviceBuffer): void {
  if (failure) throw failure;
}
