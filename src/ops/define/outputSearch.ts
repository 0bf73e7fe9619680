/** @file An optional observer of the outputs of every call, for `checkNumerics`. */
import type { Tensor } from '../../tensor/tensor.ts';
import type { Call } from './call.ts';

/** Where data enter the computation, for errors. */
export interface DataSite {
  /** The function that takes the data, such as `fit`. */
  readonly op: string;
  /** Which of its data, such as `x`. */
  readonly what: string;
  /** The index of the sample in row `row` of the tensor. */
  sampleOf(row: number): number;
}

export interface OutputSearch {
  outputs(call: Call, inputs: readonly (Tensor | null)[], outputs: readonly Tensor[]): void;
  /** Inspects data before any op computes with them. */
  data(values: Tensor, site: DataSite): void;
}

let active: OutputSearch | null = null;

export function outputSearch(): OutputSearch | null {
  return active;
}

export function setOutputSearch(search: OutputSearch | null): void {
  active = search;
}

/** Runs `body` without inspecting its calls. */
export function withoutOutputSearch<T>(body: () => T): T {
  const before = active;
  active = null;
  try {
    return body();
  } finally {
    active = before;
  }
}
