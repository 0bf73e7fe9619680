/**
 * @file Executor: what launching, allocating, copying and uploading do at the moment. A device holds one. Usually work is
 * executed at once; a capture also records it, a dry run only compiles it, and an app's encoder takes it as it comes.
 */
import type { Attribution, PreparedLaunch } from './command.ts';
import type { Check } from './faultSets.ts';
import type { Kernel, KernelOptions } from './kernel.ts';
import type { Launch } from './launch.ts';
import type { Pipeline } from './pipelines.ts';
import type { Storage } from './storage.ts';
import type { BoundRange } from './boundRange.ts';

/** Something whose storage may be replaced: a variable. */
export interface StorageHolder {
  readonly label: string;
  readonly bytes: number;
  /** The storage that holds the values now. */
  readonly current: Storage;
  /** Replaces the current storage, which is released. Takes over one reference. */
  adopt(storage: Storage): void;
  /** A function that restores what it is now. To be called once. */
  snapshot(): () => void;
}

/** Attributes launches to the calls of ops that make them. */
export interface ProfilerScope {
  /** Runs `body`, the forward of the call that `describe` names, inside the layer call `frame`. */
  forward<T>(call: () => CallDescription, frame: object | null, flops: number | null, body: () => T): T;
  /** Runs `body`, the gradient of `call`, whatever is under way. */
  backward<T>(call: CallDescription, frame: object | null, body: () => T): T;
  /** The attribution of a launch that is made now. */
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
  /** A storage that holds `data`. `freed` as for `allocate`, where work is executed at once. */
  upload(data: ArrayBufferView<ArrayBuffer>, label: string, freed?: (storage: Storage) => void): Storage;
  launch(kernel: Kernel, launch: Launch): void;
  /** Runs a launch that has its pipeline. */
  run(launch: PreparedLaunch): void;
  /** Copies `bytes` bytes, a multiple of 4, between two buffers that differ. */
  copy(source: BoundRange, target: BoundRange, bytes: number): void;
  /** The pipeline of a kernel, which may still be compiling where nothing is executed. */
  pipelineOf(kernel: Kernel, options: KernelOptions, key?: string): Pipeline;

  /** `holder` is about to be read or written. */
  touch(holder: StorageHolder): void;
  /** The storage of `holder` is about to be replaced. */
  replacing(holder: StorageHolder): void;
  /** A variable is made. Errors: ValueError where it would have no values. */
  creating(label: string): void;
  /** Values of `storage` depend on `checks` of earlier launches. */
  attachChecks(checks: readonly Check[], storage: Storage): void;

  /** What happens to the work. */
  readonly mode: 'eager' | 'captured' | 'dry run' | 'encoded';
  /** Runs `effect` now and, where the work is captured, before each replay. It launches nothing. */
  onReplay(effect: () => void): void;
  /** Executes `body` untraced: it creates what lasts. Captured work can't be replayed if `body` creates variables. */
  untraced<T>(body: () => T): T;
  /** Executes `action`: now, or after the work that is being captured, which then can't be replayed, for `reason`. */
  postpone(reason: string, action: () => void): void;
  /** Throws where values can't be read back. Errors: TapeError. */
  requireReadable(): void;
  /** Set where launches are attributed to ops. */
  readonly profiler: ProfilerScope | null;
}

/** What has an executor: a device. */
export interface ExecutorHolder {
  /** Executes work at once. */
  readonly eager: Executor;
  /** What launching, allocating, copying and uploading do at the moment. */
  executor: Executor;
}

/** The devices that are open: what is captured or run dry on one has to know of work on the others. */
export const openHolders = new Set<ExecutorHolder>();
