/** @file The observer of layer calls under a tape, which `untrackedVariables.ts` provides when it is loaded. */
import type { TrackedLayer } from './tracked.ts';

export interface Observer {
  observeReads<T>(layer: TrackedLayer, given: readonly unknown[], call: () => T): T;
  observeLosses<T>(owner: TrackedLayer, compute: () => T): T;
}

let observer: Observer | null = null;

export function provideObserver(loaded: Observer): void {
  observer = loaded;
}

/** Null until one is loaded. */
export function providedObserver(): Observer | null {
  return observer;
}
