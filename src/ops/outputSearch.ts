/** @file What looks at the outputs of every call, where someone asked for it (`checkNumerics`). */
import type { Tensor } from '../tensor/tensor.ts';
import type { Call } from './call.ts';

/** Data that a program brings in, as an error names them. */
export interface DataSite {
  /** What takes the data, such as `fit`. */
  readonly op: string;
  /** Which of its data, such as `x`. */
  readonly what: string;
  /** The sample that row `row` of the tensor is. */
  sampleOf(row: number): number;
}

export interface OutputSearch {
  outputs(call: Call, inputs: readonly (Tensor | null)[], outputs: readonly Tensor[]): void;
  /** Looks at data before any op computes with them. */
  data(values: Tensor, site: DataSite): void;
}

let active: OutputSearch | null = null;

export function outputSearch(): OutputSearch | null {
  return active;
}

export function setOutputSearch(search: OutputSearch | null): void {
  active = search;
}

/** Runs `body` without looking at its calls. */
export function withoutOutputSearch<T>(body: () => T): T {
  const before = active;
  active = null;
  try {
    return body();
  } finally {
    active = before;
  }
}
