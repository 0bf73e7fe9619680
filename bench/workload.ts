/** @file What a workload is: rows that can be prepared, measured and cleared away, one after another. */
import type { Contender } from './measure.ts';

export interface Row {
  /** Unique; `--filter` matches it. */
  name: string;
  /** Makes the inputs, and checks each contender's result against an oracle. */
  prepare(): Promise<Prepared>;
}

export interface Prepared {
  contenders: Readonly<Record<string, Contender>>;
  /** Calls of the workload in one call of a contender; times are divided by it. Default 1. */
  repeats?: number;
  /** What the table shows beside the times. */
  facts?: Readonly<Record<string, string | number>>;
  dispose(): void;
}

export interface Workload {
  name: string;
  /** The contender whose median all are divided by. */
  baseline: string;
  rows: readonly Row[];
}
