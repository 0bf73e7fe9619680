/** @file What a row of the benchmark is. */
import type { HostArray } from './host.ts';
import type { Contender, Library, Unable } from './job.ts';
import type { Work } from './roofline.ts';

export interface Row {
  /** Unique; `--filter` matches it. Says the sizes. */
  name: string;
  family: string;
  /** Arrays that every contender is given; made when the row is run. */
  inputs(): HostArray[];
  /** What is wrong with the results of a contender, or null. Compares with plain float64 on the host. */
  check(results: readonly HostArray[], inputs: readonly HostArray[]): string | null;
  contenders: Readonly<Record<Library, Contender | Unable>>;
  /** What the computation has to do at least, for its roofline. */
  work?: Work;
  /** Ops in one run, where the row is about the time that an op takes: its unit is then µs an op. */
  ops?: number;
  /** Whether it takes a software adapter so long that it is left out there unless a filter asks for it. */
  slow?: boolean;
  /** Whether the row is about the most bytes that live on the device at once, not about time. */
  bytes?: boolean;
}

/** What sizes depend on: a software adapter reaches some GFLOP/s, a GPU a thousand times that. */
export type AdapterClass = 'cpu' | 'gpu';

export interface Family {
  name: string;
  rows(adapter: AdapterClass): Row[];
}
