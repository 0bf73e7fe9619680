/** @file The results of the benchmark, as written to JSON. */
import { libraries, type Library, type Peer, peers } from './job.ts';
import type { Limits, Roofline } from './roofline.ts';

export type Unit = 'ms' | 'µs/op' | 'MiB' | 'kB gzipped';

export interface RowResult {
  name: string;
  family: string;
  unit: Unit;
  /** The median; null if it failed. */
  retrograd: number | null;
  /** Medians; null if a peer can't run the row, failed, or was wrong: see `notes`. */
  peers: Record<Peer, number | null>;
  /** The best peer's median divided by Retrograd's; null if no peer ran the row. */
  ratio: number | null;
  /** Half the distance of the quartiles, relative to the median. */
  spread: Partial<Record<Library, number>>;
  notes: Partial<Record<Library, string>>;
  roofline: Roofline | null;
  /** The kernels that Retrograd launched, with the chosen options; empty if they weren't recorded. */
  kernels: readonly string[];
  /** A hash of their WGSL, if it was watched. */
  code?: string;
}

/** Compares alternative programs for the same result, all with Retrograd. */
export interface ComparisonResult {
  workload: string;
  name: string;
  unit: 'ms';
  baseline: string;
  medians: Record<string, number>;
  /** Median of each alternative divided by the baseline's. */
  ratios: Record<string, number>;
  spread: Record<string, number>;
  facts: Readonly<Record<string, string | number>>;
}

/** Features and limits of Retrograd's device. */
export interface DeviceDescription {
  features: readonly string[];
  limits: Readonly<Record<string, number>>;
}

/** The checks of a kernel variant. */
export interface VariantOutcome {
  readonly name: string;
  readonly status: 'right' | 'wrong' | 'failed';
  /** Why it failed, or the worst check. */
  readonly message: string | null;
}

export interface BenchResult {
  adapter: string;
  device: DeviceDescription;
  engine: string;
  date: string;
  versions: Record<Library, string>;
  limits: Limits | null;
  rows: RowResult[];
  comparisons: ComparisonResult[];
  /** Kernel variants that were verified in the same run. */
  variants?: VariantOutcome[];
}

/**
 * Returns the best peer's value divided by Retrograd's: above 1 if Retrograd is better. Smaller values are better in every row.
 */
export function ratioOf(
  retrograd: number | null,
  values: Readonly<Record<Peer, number | null>>,
): number | null {
  const known = peers.map((peer) => values[peer]).filter((value) => value !== null);
  if (retrograd === null || known.length === 0) return null;
  return Math.min(...known) / retrograd;
}

export interface Found {
  values: Partial<Record<Library, number>>;
  spread?: Partial<Record<Library, number>>;
  notes?: Partial<Record<Library, string>>;
  roofline?: Roofline | null;
  kernels?: readonly string[];
  code?: string;
}

/** Returns a row of the result; missing values are null. */
export function rowResult(name: string, family: string, unit: Unit, found: Found): RowResult {
  const { values, spread = {}, notes = {}, roofline = null, kernels = [], code } = found;
  const retrograd = values.retrograd ?? null;
  const ofPeers = Object.fromEntries(peers.map((peer) => [peer, values[peer] ?? null])) as RowResult['peers'];
  return {
    name,
    family,
    unit,
    retrograd,
    peers: ofPeers,
    ratio: ratioOf(retrograd, ofPeers),
    spread,
    notes,
    roofline,
    kernels,
    ...(code === undefined ? {} : { code }),
  };
}

/** Returns the medians of a row by library. */
export const medianOf = (row: RowResult, library: Library): number | null =>
  library === 'retrograd' ? row.retrograd : row.peers[library];

/** Libraries that should have run the row but failed. */
export const failuresOf = (row: RowResult): Library[] =>
  libraries.filter((library) => /^(failed|wrong)/.test(row.notes[library] ?? ''));

/** Describes an error in one line. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\s+/g, ' ').slice(0, 200);
}
