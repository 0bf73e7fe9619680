/** @file The definition of a row of the benchmark. */
import type { HostArray } from './host.ts';
import type { Contender, Library, Unable } from './job.ts';
import type { Work } from './roofline.ts';

export interface Row {
  /** Unique name, with the sizes; `--filter` matches it. */
  name: string;
  family: string;
  /** Input arrays for every contender, created when the row runs. */
  inputs(): HostArray[];
  /** The problem with the results of a contender, or null. Compares with plain float64 on the host. */
  check(results: readonly HostArray[], inputs: readonly HostArray[]): string | null;
  contenders: Readonly<Record<Library, Contender | Unable>>;
  /** The minimum work of the computation, for its roofline. */
  work?: Work;
  /** Number of ops in one run, if the row measures the time per op: its unit is then µs per op. */
  ops?: number;
  /** Whether it is so slow on a software adapter that it only runs there if a filter selects it. */
  slow?: boolean;
  /** Whether the row measures the peak of bytes on the device, rather than time. */
  bytes?: boolean;
}

/** The class of adapter, which sizes depend on: a software adapter reaches a few GFLOP/s, a GPU a thousand times that. */
export type AdapterClass = 'cpu' | 'gpu';

export interface Family {
  name: string;
  rows(adapter: AdapterClass): Row[];
}
