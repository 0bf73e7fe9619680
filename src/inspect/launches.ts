/** @file The records of launches in a profile. */
import type { PreparedLaunch, ProfiledCall } from '../webgpu/command.ts';
import { type BindingType, bindingsOf, isReadOnly, type KernelOptions } from '../webgpu/kernel.ts';
import { Storage } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';
import type { StreamWatcher } from '../webgpu/streamWatcher.ts';
import type { Span } from '../webgpu/timing.ts';

/** One launch, and when it ran. */
export interface ProfiledLaunch extends Span {
  readonly kernel: string;
  /** The options of the kernel: which variant it is. */
  readonly options: KernelOptions;
  /** The calls that it is attributed to; none for a launch outside of ops, such as an optimizer's. */
  readonly calls: readonly ProfiledCall[];
  /** Bytes of its bound buffers, each counted once per read and write. */
  readonly bytes: number;
  /** Floating-point operations; null if its ops don't state them. */
  readonly flops: number | null;
  readonly workgroups: number;
}

/** A watcher that measures when launches ran. */
export interface LaunchTimer extends StreamWatcher {
  spans(): Promise<Span[]>;
}

/** Records the launches that a timer measures. */
export class LaunchLog implements StreamWatcher {
  readonly #launches: Omit<ProfiledLaunch, keyof Span>[] = [];

  constructor(private readonly timer: LaunchTimer) {}

  get isolates() {
    return this.timer.isolates;
  }

  next(launch: PreparedLaunch): GPUComputePassTimestampWrites | undefined {
    const { kernel, attribution, grid } = launch;
    this.#launches.push({
      kernel: kernel.name,
      options: launch.options,
      calls: attribution?.calls ?? [],
      bytes: bytesMoved(launch),
      flops: attribution?.flops ?? null,
      workgroups: grid[0] * grid[1] * grid[2],
    });
    return this.timer.next(launch);
  }

  resolve(encoder: GPUCommandEncoder): void {
    this.timer.resolve?.(encoder);
  }

  get submit() {
    return this.timer.submit?.bind(this.timer);
  }

  /** Returns the launches in their order. Call after the stream was flushed. */
  async timed(): Promise<ProfiledLaunch[]> {
    const spans = await this.timer.spans();
    return this.#launches.flatMap((launch, i) => {
      const span = spans[i];
      return span ? [{ ...launch, ...span }] : [];
    });
  }
}

function bytesMoved({ kernel, options, ranges }: PreparedLaunch): number {
  const types = Object.values(bindingsOf(kernel, options));
  return ranges.reduce((total, range, i) => total + bytesOf(range) * passes(types[i] as BindingType), 0);
}

/** Buffers are bound whole; unused bytes after the values aren't moved. */
function bytesOf(range: BoundRange): number {
  return range instanceof Storage ? range.valueBytes : range.bytes;
}

function passes(type: BindingType): number {
  return isReadOnly(type) || type.startsWith('write ') ? 1 : 2;
}
