/** @file The results of the benchmark of host times, as written to JSON. */
import type { AdapterKind } from '../../src/webgpu/adapter.ts';

/** The profiles of GPUs, by which Retrograd selects kernels. */
export const gpuProfiles = ['discrete', 'apple', 'integrated', 'mobile'] as const satisfies AdapterKind[];
export type GpuProfile = (typeof gpuProfiles)[number];

/** Peers whose calls are eager, too. */
export const eagerPeers = ['tfjs', 'jaxjs'] as const;
export const hostPeers = [...eagerPeers, 'jaxjsJit'] as const;
/** Who is measured: Retrograd with a profile, or a peer. */
export type Side = GpuProfile | (typeof hostPeers)[number];
export const sides: readonly Side[] = [...gpuProfiles, ...hostPeers];

/** The time of one call on the host. */
export interface HostTime {
  /** Median, in µs. */
  readonly microseconds: number;
  /** Half the distance between the quartiles, relative to the median. */
  readonly spread: number;
  readonly samples: number;
  /** Submissions and launches of one call. */
  readonly submissions: number;
  readonly launches: number;
}

/** A call on an idle device. */
export interface LoneCall {
  /** µs from the start of the call to its first submission: median. */
  readonly firstSubmission: number;
  /** Whether that was before the call returned. */
  readonly isWithinCall: boolean;
  /** Submissions of 1,000 calls one after another, without a pause. */
  readonly submissionsOfMany: number;
}

export interface HostRow {
  readonly name: string;
  readonly times: Readonly<Partial<Record<Side, HostTime>>>;
  /** Why a side has no time. */
  readonly notes: Readonly<Partial<Record<Side, string>>>;
}

export interface HostResult {
  readonly engine: string;
  readonly date: string;
  readonly processor: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly rows: readonly HostRow[];
  readonly lone: Readonly<Partial<Record<Side, LoneCall>>>;
}

/**
 * The time of the fastest eager peer over that of Retrograd's slowest profile: above 1, Retrograd is faster. Null if either is
 * missing.
 */
export function hostRatio({ times }: HostRow): number | null {
  const of = (some: readonly Side[]) => some.flatMap((side) => times[side]?.microseconds ?? []);
  const [own, peers] = [of(gpuProfiles), of(eagerPeers)];
  if (own.length === 0 || peers.length === 0) return null;
  return Math.min(...peers) / Math.max(...own);
}
