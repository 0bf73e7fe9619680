/** @file The result of `npm run bench:gpu`, as written to JSON: a result of the benchmark, and what else was learned. */
import type { BenchResult, VariantOutcome } from '../result.ts';
import type { Manifest } from './plan.ts';

/** A row that PyTorch ran. Its name is the row's, with what differs after a comma. */
export interface NativeRow {
  readonly name: string;
  readonly unit: 'ms' | 'µs/op';
  readonly pytorch: number | null;
  readonly spread?: number;
  readonly note?: string;
}

/** A file of unit tests. */
export interface TestFile {
  readonly file: string;
  readonly passed: number;
  readonly failures: readonly { readonly name: string; readonly message: string }[];
}

export interface GpuResult extends BenchResult {
  /** The commit of the sources, if they are in a repository, and whether they were changed since. */
  readonly commit: string | null;
  /** A hash of the measured program: a run that was cut off is resumed only by the same program. */
  readonly program: string;
  readonly manifest: Manifest;
  /** Whether nothing was executed: times of the host alone. */
  readonly isOnNull: boolean;
  variants: VariantOutcome[];
  native: NativeRow[];
  /** The version of PyTorch and its device, or why it did not run. */
  nativeSetting: string | null;
  tests: TestFile[];
  /** How each task ended, by its name. Those that are missing are still to be done. */
  readonly done: Record<string, { readonly how: string; readonly seconds: number }>;
  /** Seconds that it has taken, in all its runs. */
  seconds: number;
}
