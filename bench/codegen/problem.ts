/** @file What the benchmark of generated code compiles: one computation, as each library writes it. */
import type { Tensor } from 'retrograd';
import type { Contender, Peer, Unable } from '../job.ts';

export interface InputSpec {
  readonly shape: readonly number[];
  readonly dtype: 'float32' | 'int32';
}

export interface Problem {
  /** Unique; says the sizes. `--filter` matches it. */
  readonly name: string;
  /** What problems are grouped by in the report. */
  readonly family: string;
  readonly inputs: readonly InputSpec[];
  /** Multiply-adds that the definition asks for; 0 where a problem is bound by memory. */
  readonly fmas: number;
  /** Terms of the sum behind each result, where a problem is one matrix multiplication; 0 elsewhere. */
  readonly terms: number;
  run(...inputs: Tensor[]): Tensor | readonly (Tensor | null)[];
  /** The same by other libraries, where they have it. */
  readonly peers?: Readonly<Partial<Record<Peer, Contender | Unable>>>;
}

export const float32 = (...shape: number[]): InputSpec => ({ shape, dtype: 'float32' });
export const int32 = (...shape: number[]): InputSpec => ({ shape, dtype: 'int32' });
export const sizeOf = (shape: readonly number[]): number => shape.reduce((size, n) => size * n, 1);
