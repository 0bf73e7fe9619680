/** @file A problem of the benchmark of generated code: one computation, as written in each library. */
import type { Tensor } from 'retrograd';
import type { Contender, Peer, Unable } from '../job.ts';

export interface InputSpec {
  readonly shape: readonly number[];
  readonly dtype: 'float32' | 'int32';
}

export interface Problem {
  /** Unique name, with the sizes. `--filter` matches it. */
  readonly name: string;
  /** Group of the problem in the report. */
  readonly family: string;
  readonly inputs: readonly InputSpec[];
  /** Multiply-adds that the definition needs; 0 if a problem is bound by memory. */
  readonly fmas: number;
  /** Terms of the sum for each result, if a problem is a single matrix multiplication; otherwise 0. */
  readonly terms: number;
  run(...inputs: Tensor[]): Tensor | readonly (Tensor | null)[];
  /** The same in other libraries, if they have it. */
  readonly peers?: Readonly<Partial<Record<Peer, Contender | Unable>>>;
}

export const float32 = (...shape: number[]): InputSpec => ({ shape, dtype: 'float32' });
export const int32 = (...shape: number[]): InputSpec => ({ shape, dtype: 'int32' });
export const sizeOf = (shape: readonly number[]): number => shape.reduce((size, n) => size * n, 1);
