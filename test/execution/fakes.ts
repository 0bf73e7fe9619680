/** @file Commands, storages, a pool and an executor without a device, for what only looks at them. */
import type { BoundRange } from '../../src/webgpu/boundRange.ts';
import type { CopyCommand, PreparedLaunch } from '../../src/webgpu/command.ts';
import type { DeviceBuffer } from '../../src/webgpu/deviceBuffer.ts';
import type { Executor, ProfilerScope, StorageHolder } from '../../src/webgpu/executor.ts';
import type { FaultReport } from '../../src/webgpu/faults.ts';
import type { Check } from '../../src/webgpu/faultTracker.ts';
import type { Kernel, KernelOptions } from '../../src/webgpu/kernel.ts';
import type { Launch } from '../../src/webgpu/launch.ts';
import type { Pipeline } from '../../src/webgpu/pipelines.ts';
import type { BufferPool } from '../../src/webgpu/pool.ts';
import { Storage } from '../../src/webgpu/storage.ts';

/** More than a test names. */
type StorageList = [Storage, Storage, Storage, Storage, Storage];

/** Five storages in separate buffers. */
export const storages = (): StorageList =>
  Array.from({ length: 5 }, (_, id) => {
    const buffer = { id, size: 4096, faults: null, failure: null } as unknown as DeviceBuffer;
    return new Storage(buffer, 0, 4096, () => {});
  }) as StorageList;

/** Returns a launch that writes some ranges and reads others. */
export function launched(
  written: readonly Storage[],
  read: readonly Storage[],
  fault: FaultReport | null = null,
): PreparedLaunch {
  const writes = [...written.map(() => true), ...read.map(() => false)];
  const launch = {
    kind: 'launch',
    ranges: [...written, ...read],
    params: {},
    pipeline: { bindings: { writes } },
    fault,
  };
  return launch as unknown as PreparedLaunch;
}

/** Returns a copy of some of the values, or of as many bytes. */
export const copied = (source: Storage, target: Storage, bytes = 4): CopyCommand => ({
  kind: 'copy',
  source,
  target,
  bytes,
});

/** Hands out a new buffer of exactly the size each time. */
export function pool(): BufferPool {
  const made = {
    sizeFor: (bytes: number) => bytes,
    acquire: (size: number) => ({ size, failure: null, faults: null }),
    release() {},
  };
  return made as unknown as BufferPool;
}

/** An executor that notes its calls and executes nothing. Its storages are in separate buffers. */
export class RecordingExecutor implements Executor {
  mode: Executor['mode'] = 'eager';
  profiler: ProfilerScope | null = null;
  readonly calls: (readonly unknown[])[] = [];
  /** Callbacks of storages that are still in use. */
  readonly allocated = new Map<Storage, (storage: Storage) => void>();

  #storage(bytes: number, freed: (storage: Storage) => void = () => {}): Storage {
    const buffer = { id: this.allocated.size, size: bytes, faults: null, failure: null };
    const storage = new Storage(
      buffer as unknown as DeviceBuffer,
      0,
      bytes,
      (own) => {
        this.allocated.delete(own);
        freed(own);
      },
      bytes,
    );
    this.allocated.set(storage, freed);
    return storage;
  }

  allocate(bytes: number, label: string, freed?: (storage: Storage) => void): Storage {
    this.calls.push(['allocate', bytes, label]);
    return this.#storage(bytes, freed);
  }

  upload(data: ArrayBufferView<ArrayBuffer>, label: string, freed?: (storage: Storage) => void): Storage {
    this.calls.push(['upload', data, label]);
    return this.#storage(data.byteLength, freed);
  }

  launch(kernel: Kernel, launch: Launch): void {
    this.calls.push(['launch', kernel, launch]);
  }

  run(launch: PreparedLaunch): void {
    this.calls.push(['run', launch]);
  }

  copy(source: BoundRange, target: BoundRange, bytes: number): void {
    this.calls.push(['copy', source, target, bytes]);
  }

  pipelineOf(kernel: Kernel, options: KernelOptions, key?: string): Pipeline {
    this.calls.push(['pipelineOf', kernel, options, key]);
    return { label: 'a pipeline', bindingNames: [], layout: { fields: [] } } as unknown as Pipeline;
  }

  touch(holder: StorageHolder): void {
    this.calls.push(['touch', holder]);
  }

  replacing(holder: StorageHolder): void {
    this.calls.push(['replacing', holder]);
  }

  creating(label: string): void {
    this.calls.push(['creating', label]);
  }

  attachChecks(checks: readonly Check[], storage: Storage): void {
    this.calls.push(['attachChecks', checks, storage]);
  }

  onReplay(effect: () => void): void {
    this.calls.push(['onReplay', effect]);
  }

  untraced<T>(body: () => T): T {
    this.calls.push(['untraced', body]);
    return body();
  }

  postpone(reason: string, action: () => void): void {
    this.calls.push(['postpone', reason, action]);
  }

  requireReadable(): void {
    this.calls.push(['requireReadable']);
  }
}
