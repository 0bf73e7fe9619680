/**
 * @file Copies of values between variables: none shares its buffer with another, which would keep steps from writing in
 * place.
 */
import type { Variable } from '../../tensor/variable.ts';
import { type Storage, wholeWords } from '../../webgpu/storage.ts';

/** Copies the values of `source` to `target`. */
export function copyValues(source: Variable, target: Variable): void {
  take(target, copyOf(source));
}

/** Swaps the values of two variables. */
export function swapValues(a: Variable, b: Variable): void {
  const [ofA, ofB] = [copyOf(a), copyOf(b)];
  take(a, ofB);
  take(b, ofA);
}

function copyOf({ device, storage, bytes, label }: Variable): Storage {
  const copy = device.allocate(bytes, label);
  device.copy(storage, copy, wholeWords(bytes));
  return copy;
}

function take(variable: Variable, values: Storage): void {
  // Reading the storage lets a recording note the variable before it moves.
  void variable.storage;
  variable.adopt(values);
}
