/** @file Bind groups with typed errors: an invalid buffer of the app, or a buffer of the library without memory. */
import type { RetrogradError } from '../core/errors.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import { invalidUse } from './invalidUse.ts';
import type { Pipeline } from './pipelines.ts';
import type { ErrorWatch } from './watch.ts';

const whatIsValid = {
  rule: 'a launch binds valid buffers that are large enough.',
  hint: 'pass buffers of this device, not destroyed, with usage STORAGE.',
};

/** The bind groups of a device. Each is watched on its own, unless many are made together. */
export class BindGroups {
  /** Of the bind groups that share an error scope; null if each has its own. */
  #together: { readonly buffers: Set<DeviceBuffer>; readonly forget: (() => void)[] } | null = null;

  /** Why a bind group was invalid, by its label: for submissions that use it later, WebGPU only says that it is. */
  readonly #reasons = new Map<string, RetrogradError>();

  constructor(
    private readonly device: GPUDevice,
    private readonly watch: ErrorWatch,
  ) {}

  /** Returns why a submission failed that WebGPU's `message` calls invalid, if one of its bind groups is the reason. */
  reasonFor(message: string): RetrogradError | null {
    return this.#reasons.get(labelIn(message)) ?? null;
  }

  /**
   * Creates a bind group of a launch of `pipeline`. `buffers` are those that its `entries` name. `forget` is called if it is invalid,
   * or one that was made together with it.
   */
  create(
    pipeline: Pipeline,
    entries: GPUBindGroupEntry[],
    buffers: readonly DeviceBuffer[],
    forget: () => void = () => {},
  ): GPUBindGroup {
    const { label, bindings } = pipeline;
    const make = () =>
      this.device.createBindGroup({ label: `retrograd ${label}`, layout: bindings.gpu, entries });
    const together = this.#together;
    if (together) {
      for (const buffer of buffers) together.buffers.add(buffer);
      together.forget.push(forget);
      return make();
    }
    return this.watch.during('validation', make, (error) => this.#explained(error, buffers, [forget], label));
  }

  /** Bind groups that `body` makes share one error scope, which takes as long as a bind group. WebGPU's message names the first that is invalid. */
  together<T>(body: () => T): T {
    if (this.#together) return body();
    const buffers = new Set<DeviceBuffer>();
    const forget: (() => void)[] = [];
    this.#together = { buffers, forget };
    try {
      return this.watch.during('validation', body, (error) => this.#explained(error, buffers, forget));
    } finally {
      this.#together = null;
    }
  }

  /** Null if the error follows from a buffer without memory, which was reported. */
  #explained(
    { message }: GPUError,
    buffers: Iterable<DeviceBuffer>,
    forget: readonly (() => void)[],
    op?: string,
  ): RetrogradError | null {
    for (const each of forget) each();
    for (const { failure } of buffers) if (failure) return null;
    const reason = invalidUse(message, whatIsValid, op);
    const label = labelIn(message);
    if (reason && label) this.#reasons.set(label, reason);
    return reason;
  }
}

/** Returns the label of the bind group that WebGPU's `message` names; empty if there is none. */
function labelIn(message: string): string {
  return /bind ?group\w*(?: with)? ["']([^"']+)["']/i.exec(message)?.[1] ?? '';
}

/** One command on a buffer without memory would invalidate its whole submission. Errors: OutOfMemoryError. */
export function requireMemory({ failure }: DeviceBuffer): void {
  if (failure) throw failure;
}
