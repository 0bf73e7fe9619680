/** @file A library's job for a row: one prepared computation that can be run, waited for, read and freed. */
import type { HostArray } from './host.ts';

export interface Job {
  /** Queues the computation once, and releases its results. */
  run(): void | Promise<void>;
  /** Waits until the device has done all queued work. */
  wait(): Promise<void>;
  /** The results of one run, in the row's layout. */
  results(): Promise<HostArray[]>;
  dispose(): void | Promise<void>;
  /** The device that it runs on; errors that the device reports, and its buffers, belong to the job. */
  readonly device: GPUDevice;
  /** Whether a run changes what the next one computes, as a training step does. */
  readonly stateful?: boolean;
}

/** Uploads the inputs of a row and creates the job. */
export type Contender = (inputs: readonly HostArray[]) => Promise<Job>;

/** The reason why a library can't run a row. */
export interface Unable {
  readonly unable: string;
}

export const unable = (reason: string): Unable => ({ unable: reason });

export type Peer = 'tfjs' | 'jaxjs' | 'ort';
export const peers: readonly Peer[] = ['tfjs', 'jaxjs', 'ort'];
export type Library = 'retrograd' | Peer;
export const libraries: readonly Library[] = ['retrograd', ...peers];

/** A change of layout for each input and output, if a library needs another than the row's; null keeps it. */
export interface Layout {
  inputs?: readonly (((x: HostArray) => HostArray) | null)[];
  outputs?: readonly (((x: HostArray) => HostArray) | null)[];
}

export const laidOut = (arrays: readonly HostArray[], changes: Layout['inputs']): HostArray[] =>
  arrays.map((array, i) => changes?.[i]?.(array) ?? array);
