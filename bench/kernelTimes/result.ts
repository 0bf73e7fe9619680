/** @file The results of the benchmark of kernel times, as written to JSON. */
import { type Library, type Peer, peers } from '../job.ts';
import type { ReplayTime } from './replay.ts';

export interface KernelTime extends ReplayTime {
  readonly launches: number;
  /** Labels of the launched pipelines, with the numbers of workgroups. */
  readonly kernels: readonly string[];
  /** Largest difference from Retrograd's results, relative to the largest value; null if it wasn't computed. */
  readonly difference: number | null;
}

export interface KernelRow {
  readonly name: string;
  readonly family: string;
  /** Multiply-adds that the definition needs; 0 if a problem is bound by memory. */
  readonly fmas: number;
  readonly times: Readonly<Partial<Record<Library, KernelTime>>>;
  /** Why a library has no time. */
  readonly notes: Readonly<Partial<Record<Library, string>>>;
}

export interface KernelSetting {
  readonly adapter: string;
  /** The adapter profile by which Retrograd selected kernels. */
  readonly profile: string;
  readonly engine: string;
  readonly date: string;
  readonly versions: Readonly<Record<Library, string>>;
}

/** The fastest peer's time over Retrograd's: above 1, Retrograd is faster. Null if either is missing. */
export function fastestPeer({ times }: KernelRow): { readonly peer: Peer; readonly ratio: number } | null {
  const own = times.retrograd;
  if (!own) return null;
  const ratios = peers.flatMap((peer) => {
    const time = times[peer];
    return time ? [{ peer, ratio: time.milliseconds / own.milliseconds }] : [];
  });
  return ratios.sort((a, b) => a.ratio - b.ratio)[0] ?? null;
}
