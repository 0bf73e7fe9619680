/** @file ForwardingExecutor: forwards everything to another executor. The base class of decorators. */
import type { PreparedLaunch } from '../webgpu/command.ts';
import type { Executor, ProfilerScope, StorageHolder } from '../webgpu/executor.ts';
import type { Check } from '../webgpu/faultTracker.ts';
import type { Kernel, KernelOptions } from '../webgpu/kernel.ts';
import type { Launch } from '../webgpu/launch.ts';
import type { Pipeline } from '../webgpu/pipelines.ts';
import type { Storage } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/boundRange.ts';

export class ForwardingExecutor implements Executor {
  readonly mode: Executor['mode'];
  readonly profiler: ProfilerScope | null;

  constructor(protected readonly base: Executor) {
    this.mode = base.mode;
    this.profiler = base.profiler;
  }

  allocate(bytes: number, label: string, freed?: (storage: Storage) => void): Storage {
    return this.base.allocate(bytes, label, freed);
  }

  upload(data: ArrayBufferView<ArrayBuffer>, label: string, freed?: (storage: Storage) => void): Storage {
    return this.base.upload(data, label, freed);
  }

  launch(kernel: Kernel, launch: Launch): void {
    this.base.launch(kernel, launch);
  }

  run(launch: PreparedLaunch): void {
    this.base.run(launch);
  }

  copy(source: BoundRange, target: BoundRange, bytes: number): void {
    this.base.copy(source, target, bytes);
  }

  pipelineOf(kernel: Kernel, options: KernelOptions, key?: string): Pipeline {
    return this.base.pipelineOf(kernel, options, key);
  }

  touch(holder: StorageHolder): void {
    this.base.touch(holder);
  }

  replacing(holder: StorageHolder): void {
    this.base.replacing(holder);
  }

  creating(label: string): void {
    this.base.creating(label);
  }

  attachChecks(checks: readonly Check[], storage: Storage): void {
    this.base.attachChecks(checks, storage);
  }

  onReplay(effect: () => void): void {
    this.base.onReplay(effect);
  }

  untraced<T>(body: () => T): T {
    return this.base.untraced(body);
  }

  postpone(reason: string, action: () => void): void {
    this.base.postpone(reason, action);
  }

  requireReadable(): void {
    this.base.requireReadable();
  }
}
