/** @file What looks at the outputs of every call, where someone asked for it (`checkNumerics`). */
import type { Tensor } from '../tensor/tensor.ts';
import type { Call } from './call.ts';

export type OutputSearch = (
  call: Call,
  inputs: readonly (Tensor | null)[],
  outputs: readonly Tensor[],
) => void;

let active: OutputSearch | null = null;

export function outputSearch(): OutputSearch | null {
  return active;
}

export function setOutputSearch(search: OutputSearch | null): void {
  active = search;
}
