/** @file The eager executor: work is appended to the device's stream immediately. */
import type { PreparedLaunch } from './command.ts';
import { compileLater } from './compileAhead.ts';
import type { DeviceBuffer } from './deviceBuffer.ts';
import type { Executor, ProfilerScope, StorageHolder } from './executor.ts';
import type { FaultReport, FaultWords } from './faults.ts';
import type { Check } from './faultTracker.ts';
import type { Journal } from './journal.ts';
import { type Kernel, type KernelOptions, keyOf } from './kernel.ts';
import { type Launch, prepareLaunch } from './launch.ts';
import type { ParamValue } from './params.ts';
import type { Pipeline, PipelineCache } from './pipelines.ts';
import type { BufferPool } from './pool.ts';
import { replacesAll, Storage } from './storage.ts';
import type { BoundRange } from './boundRange.ts';
import type { CommandStream } from './stream.ts';

/** The part of a device that the eager executor uses. */
export interface EagerDevice {
  readonly pool: BufferPool;
  readonly stream: CommandStream;
  readonly pipelines: PipelineCache;
  readonly faults: FaultWords;
  readonly journal: Journal;
  /** Writes `data` before all commands that are submitted later. */
  write(buffer: DeviceBuffer, data: ArrayBufferView<ArrayBuffer>): void;
  beginCheck(
    params: Readonly<Record<string, ParamValue>>,
    fault: FaultReport,
  ): { params: Readonly<Record<string, ParamValue>>; check: Check };
  /** The values in `buffer` are not needed any more. */
  forgetValues(buffer: DeviceBuffer): void;
  /** Runs `begin` once the device has done the work that was submitted so far. */
  whenIdle(begin: () => void): void;
}

export class EagerExecutor implements Executor {
  readonly mode = 'eager';
  readonly profiler: ProfilerScope | null = null;

  constructor(private readonly device: EagerDevice) {}

  allocate(bytes: number, label: string, freed?: (storage: Storage) => void): Storage {
    const buffer = this.device.pool.acquire(bytes, label);
    return this.#storage(buffer, bytes, freed);
  }

  upload(data: ArrayBufferView<ArrayBuffer>, label: string, freed?: (storage: Storage) => void): Storage {
    const { device } = this;
    const bytes = Math.max(4, data.byteLength);
    // A queue write overtakes launches that aren't submitted yet: take a buffer that none of them uses.
    const buffer = device.pool.acquire(bytes, label, device.stream.submitted);
    device.write(buffer, data);
    device.journal.uploaded(buffer);
    return this.#storage(buffer, bytes, freed);
  }

  #storage(buffer: DeviceBuffer, bytes: number, freed?: (storage: Storage) => void): Storage {
    const { device } = this;
    const free = (storage: Storage) => {
      freed?.(storage);
      device.forgetValues(buffer);
      device.pool.release(buffer);
    };
    return new Storage(buffer, 0, buffer.size, free, bytes);
  }

  launch(kernel: Kernel, launch: Launch): void {
    const ready = this.#ready(kernel, launch);
    this.run(prepareLaunch(kernel, ready, this.pipelineOf(kernel, ready.options, ready.key), null));
  }

  /** Returns a launch that can run immediately. If that is the fallback, the requested variant is compiled in the background. */
  #ready(kernel: Kernel, launch: Launch): Launch {
    const { options, fallback } = launch;
    const { device } = this;
    if (!fallback || device.pipelines.find(kernel, keyOf(kernel, options))) return launch;
    device.whenIdle(compileLater(device.pipelines, kernel, options));
    return { ...launch, ...fallback };
  }

  pipelineOf(kernel: Kernel, options: KernelOptions, key?: string): Pipeline {
    return this.device.pipelines.get(kernel, options, key);
  }

  run(launch: PreparedLaunch): void {
    const { device } = this;
    const { kernel, params, fault, ranges, pipeline } = launch;
    const { tracker } = device.faults;
    if (!fault) {
      if (kernel.faults)
        throw new TypeError(`kernel ${kernel.name} reports faults: its launch needs \`fault\``);
      device.stream.launch(launch, params, null);
      if (tracker.isActive) tracker.follow(ranges, pipeline.bindings.writes);
      return;
    }
    const validating = device.beginCheck(params, fault);
    device.stream.launch(launch, validating.params, device.faults.buffer);
    tracker.follow(ranges, pipeline.bindings.writes, validating.check);
  }

  copy(source: BoundRange, target: BoundRange, bytes: number): void {
    const { stream, faults, journal } = this.device;
    stream.copy(source.buffer, source.offset, target.buffer, target.offset, bytes);
    const isWhole = replacesAll(target, bytes);
    journal.copied(source.buffer, target.buffer, isWhole);
    const { tracker } = faults;
    if (tracker.isActive) tracker.followCopy(source.buffer, target.buffer, isWhole);
  }

  touch(_holder: StorageHolder): void {}

  replacing(_holder: StorageHolder): void {}

  creating(_label: string): void {}

  attachChecks(_checks: readonly Check[], _storage: Storage): void {}

  onReplay(effect: () => void): void {
    effect();
  }

  untraced<T>(body: () => T): T {
    return body();
  }

  postpone(_reason: string, action: () => void): void {
    action();
  }

  requireReadable(): void {}
}
