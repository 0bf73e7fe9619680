/** @file What the benchmark finds, as it is written to JSON. */
import { libraries, type Library, type Peer, peers } from './job.ts';
import type { Limits, Roofline } from './roofline.ts';

export type Unit = 'ms' | 'µs/op' | 'MiB' | 'kB gzipped';

export interface RowResult {
  name: string;
  family: string;
  unit: Unit;
  /** The median; null where it failed. */
  retrograd: number | null;
  /** Medians; null where a peer can't do the row, failed, or was wrong: `notes` says which. */
  peers: Record<Peer, number | null>;
  /** The best peer's median over Retrograd's; null where no peer did the row. */
  ratio: number | null;
  /** Half the distance of the quartiles, relative to the median. */
  spread: Partial<Record<Library, number>>;
  notes: Partial<Record<Library, string>>;
  roofline: Roofline | null;
  /** What Retrograd launched, with the options that were chosen; empty where that wasn't recorded. */
  kernels: readonly string[];
}

/** Ways of doing one thing with Retrograd alone, compared. */
export interface WaysResult {
  workload: string;
  name: string;
  unit: 'ms';
  baseline: string;
  medians: Record<string, number>;
  /** Median of each way over the baseline's. */
  ratios: Record<string, number>;
  spread: Record<string, number>;
  facts: Readonly<Record<string, string | number>>;
}

/** What the device of Retrograd offers. */
export interface DeviceDescription {
  features: readonly string[];
  limits: Readonly<Record<string, number>>;
}

export interface BenchResult {
  adapter: string;
  device: DeviceDescription;
  engine: string;
  date: string;
  versions: Record<Library, string>;
  limits: Limits | null;
  rows: RowResult[];
  ways: WaysResult[];
}

/** The best peer's value over ours: above 1 where Retrograd is ahead. Smaller values are better in every row. */
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
}

/** A row of the result: what wasn't found is null. */
export function rowResult(name: string, family: string, unit: Unit, found: Found): RowResult {
  const { values, spread = {}, notes = {}, roofline = null, kernels = [] } = found;
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
  };
}

/** The medians of a row by library. */
export const medianOf = (row: RowResult, library: Library): number | null =>
  library === 'retrograd' ? row.retrograd : row.peers[library];

/** Libraries that were meant to do the row and didn't. */
export const failuresOf = (row: RowResult): Library[] =>
  libraries.filter((library) => /^(failed|wrong)/.test(row.notes[library] ?? ''));

/** An error in one line. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\s+/g, ' ').slice(0, 200);
}
