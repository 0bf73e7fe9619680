/**
 * @file Observes calls of layers under a tape, and the losses of layers, by `strayVariables.ts`, which is loaded when there is
 * one.
 */
import { activeRecorders } from '../../../ops/recorders.ts';
import { currentCall } from './callContext.ts';
import type { TrackedLayer } from './tracked.ts';

interface Observer {
  observeReads<T>(layer: TrackedLayer, given: readonly unknown[], call: () => T): T;
  observeLosses<T>(owner: TrackedLayer, compute: () => T): T;
}

let observer: Observer | null = null;

export function provideObserver(loaded: Observer): void {
  observer = loaded;
}

/** Runs `call` of `layer` on `given`: observed, where it is an outermost call under a tape. */
export function observed<T>(layer: TrackedLayer, given: readonly unknown[], call: () => T): T {
  if (activeRecorders().length === 0 || currentCall() !== null) return call();
  const loaded = loadedObserver();
  return loaded ? loaded.observeReads(layer, given, call) : call();
}

/** Runs `compute`, which computes the losses of `owner`: observed, where a tape is open. */
export function observedLosses<T>(owner: TrackedLayer, compute: () => T): T {
  if (activeRecorders().length === 0) return compute();
  const loaded = loadedObserver();
  return loaded ? loaded.observeLosses(owner, compute) : compute();
}

/** Null before it is loaded: later calls are observed. Where it can't be loaded, only a warning is missing. */
function loadedObserver(): Observer | null {
  if (!observer) import('./strayVariables.ts').catch(() => {});
  return observer;
}
