/** @file Bind groups with typed errors: an invalid buffer of the app, or a buffer of the library without memory. */
import type { RetrogradError } from '../core/errors.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import { invalidUse } from './invalidUse.ts';
import type { Pipeline } from './pipelines.ts';
import type { ErrorWatch } from './watch.ts';

/** Creates a bind group of a launch of `pipeline`. `buffers` are those that its `entries` name. */
export function watchedBindGroup(
  device: GPUDevice,
  watch: ErrorWatch,
  pipeline: Pipeline,
  entries: GPUBindGroupEntry[],
  buffers: readonly DeviceBuffer[],
): GPUBindGroup {
  return watch.during(
    'validation',
    () => createBindGroup(device, pipeline, entries),
    (error) => explain(error, buffers, pipeline.label),
  );
}

function createBindGroup(
  device: GPUDevice,
  { label, bindings }: Pipeline,
  entries: GPUBindGroupEntry[],
): GPUBindGroup {
  return device.createBindGroup({ label: `retrograd ${label}`, layout: bindings.gpu, entries });
}

/** Null if the error follows from a buffer without memory, which was reported. */
function explain({ message }: GPUError, buffers: Iterable<DeviceBuffer>, op?: string): RetrogradError | null {
  for (const { failure } of buffers) if (failure) return null;
  const others = {
    rule: 'a launch binds valid buffers that are large enough.',
    hint: 'check the buffers that your app passes: not destroyed, on this device, with usage STORAGE.',
  };
  return invalidUse(message, others, op);
}

/** The bind groups of a device. Each is watched on its own, unless many are made together. */
export class BindGroups {
  /** The buffers of the bind groups that share an error scope; null if each has its own. */
  #together: Set<DeviceBuffer> | null = null;

  constructor(
    private readonly device: GPUDevice,
    private readonly watch: ErrorWatch,
  ) {}

  /** Creates a bind group of a launch of `pipeline`. `buffers` are those that its `entries` name. */
  create(pipeline: Pipeline, entries: GPUBindGroupEntry[], buffers: readonly DeviceBuffer[]): GPUBindGroup {
    const together = this.#together;
    if (!together) return watchedBindGroup(this.device, this.watch, pipeline, entries, buffers);
    for (const buffer of buffers) together.add(buffer);
    return createBindGroup(this.device, pipeline, entries);
  }

  /** Bind groups that `body` makes share one error scope, which takes as long as a bind group. WebGPU's message names the first that is invalid. */
  together<T>(body: () => T): T {
    if (this.#together) return body();
    const buffers = new Set<DeviceBuffer>();
    this.#together = buffers;
    try {
      return this.watch.during('validation', body, (error) => explain(error, buffers));
    } finally {
      this.#together = null;
    }
  }
}

/** One command on a buffer without memory would invalidate its whole submission. Errors: OutOfMemoryError. */
export function requireMemory({ failure }: DeviceBuffer): void {
  if (failure) throw failure;
}
