/**
 * @file Executor: decides what launching, allocating, copying and uploading do. Each device has a current one. Usually
 * work is executed immediately; a capture also records it, a dry run only compiles it, and another appends it to an app's
 * encoder.
 */
import type { Attribution, PreparedLaunch } from './command.ts';
import type { Check } from './faultTracker.ts';
import type { Kernel, KernelOptions } from './kernel.ts';
import type { Launch } from './launch.ts';
import type { Pipeline } from './pipelines.ts';
import type { Storage } from './storage.ts';
import type { BoundRange } from './boundRange.ts';

/** Something whose storage may be replaced: a variable. */
export interface StorageHolder {
  /** @internal */
  readonly label: string;
  readonly bytes: number;
  /**
   * The storage that holds the values now.
   * @internal
   */
  readonly current: Storage;
  /**
   * Replaces the current storage, which is released. Takes over one reference.
   * @internal
   */
  adopt(storage: Storage): void;
  /**
   * A function that restores the current state. Must be called exactly once.
   * @internal
   */
  snapshot(): () => void;
}

/** Attributes launches to the calls of ops that make them. */
export interface ProfilerScope {
  /** Runs `body`, the forward of the call that `describe` names, inside the layer call `frame`. */
  forward<T>(call: () => CallDescription, frame: object | null, flops: number | null, body: () => T): T;
  /** Runs `body`, the gradient of `call`, even inside another call. */
  backward<T>(call: CallDescription, frame: object | null, body: () => T): T;
  /** The attribution of the next launch. */
  take(): Attribution | null;
}

export interface CallDescription {
  readonly op: string;
  /** The layer calls around it, outermost first, joined by slashes. */
  readonly layer: string;
}

export interface Executor {
  /** A storage of `bytes` bytes with undefined contents. `freed` is called when it is released. */
  allocate(bytes: number, label: string, freed?: (storage: Storage) => void): Storage;
  /** A storage that holds `data`. `freed` as for `allocate`, but only called if work is executed immediately. */
  upload(data: ArrayBufferView<ArrayBuffer>, label: string, freed?: (storage: Storage) => void): Storage;
  launch(kernel: Kernel, launch: Launch): void;
  /** Runs a launch that has its pipeline. */
  run(launch: PreparedLaunch): void;
  /** Copies `bytes` bytes, a multiple of 4, between two different buffers. */
  copy(source: BoundRange, target: BoundRange, bytes: number): void;
  /** The pipeline of a kernel; in a dry run it may still be compiling. */
  pipelineOf(kernel: Kernel, options: KernelOptions, key?: string): Pipeline;

  /** `holder` is about to be read or written. */
  touch(holder: StorageHolder): void;
  /** The storage of `holder` is about to be replaced. */
  replacing(holder: StorageHolder): void;
  /** A variable is being made. Errors: ValueError if it would have no values. */
  creating(label: string): void;
  /** The values of `storage` depend on `checks` of earlier launches. */
  attachChecks(checks: readonly Check[], storage: Storage): void;

  /** What happens to work. */
  readonly mode: 'eager' | 'captured' | 'dry run' | 'encoded';
  /** Runs `effect` now and, if the work is captured, before each replay. It launches nothing. */
  onReplay(effect: () => void): void;
  /** Executes `body` untraced: it creates permanent objects. A capture can't be replayed if `body` creates variables. */
  untraced<T>(body: () => T): T;
  /** Executes `action` now; in a capture, after the work, which can't be replayed then because of `reason`. */
  postpone(reason: string, action: () => void): void;
  /** Throws if values can't be read back. Errors: TapeError. */
  requireReadable(): void;
  /** Attributes launches to ops; usually null. */
  readonly profiler: ProfilerScope | null;
}

/** Something with an executor: a device. */
export interface ExecutorHolder {
  /** Executes work immediately. */
  readonly eager: Executor;
  /** The current executor. */
  executor: Executor;
}

/** The open devices: a capture or dry run on one has to know of work on the others. */
export const openHolders = new Set<ExecutorHolder>();
