/**
 * @file Observers of variables: they see each use, reads and writes alike, just before it. What runs a function again later
 * needs the values that its variables had.
 */
import type { StorageHolder } from '../webgpu/executor.ts';
import type { Tensor } from './tensor.ts';

/** A variable, as observers see it. */
export type UsedVariable = Tensor & StorageHolder;

export interface VariableObserver {
  /** `variable` is about to be read or written; its storage is still the one before. */
  touched(variable: UsedVariable): void;
}

let observers: readonly VariableObserver[] = [];

/** Runs `body` while `observer`, and those around it, see its uses of variables. */
export function observingVariables<T>(observer: VariableObserver, body: () => T): T {
  const before = observers;
  observers = [...before, observer];
  try {
    return body();
  } finally {
    observers = before;
  }
}

/** Tells the observers about a use. */
export function noteUse(variable: UsedVariable): void {
  for (const observer of observers) observer.touched(variable);
}
