/**
 * @file Passes layer calls under a tape, and the computation of layer losses, to `untrackedVariables.ts`, which is loaded with
 * the first one.
 */
import { activeRecorders } from '../../../ops/define/recorders.ts';
import { currentCall } from './callContext.ts';
import { type Observer, providedObserver } from './observer.ts';
import type { TrackedLayer } from './tracked.ts';

/** Runs `call` of `layer` on `given`. An outermost call under a tape is observed. */
export function observed<T>(layer: TrackedLayer, given: readonly unknown[], call: () => T): T {
  if (activeRecorders().length === 0 || currentCall() !== null) return call();
  const loaded = loadedObserver();
  return loaded ? loaded.observeReads(layer, given, call) : call();
}

/** Runs `compute`, which computes the losses of `owner`; observed if a tape is open. */
export function observedLosses<T>(owner: TrackedLayer, compute: () => T): T {
  if (activeRecorders().length === 0) return compute();
  const loaded = loadedObserver();
  return loaded ? loaded.observeLosses(owner, compute) : compute();
}

/** Null until it is loaded: only later calls are observed. If it can't be loaded, only a warning is missing. */
function loadedObserver(): Observer | null {
  const observer = providedObserver();
  if (!observer) import('./untrackedVariables.ts').catch(() => {});
  return observer;
}
