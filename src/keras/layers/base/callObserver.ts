/** @file Observes calls of layers under a tape, by `strayVariables.ts`, which is loaded when there is such a call. */
import { activeRecorders } from '../../../ops/recorders.ts';
import { currentCall } from './callContext.ts';
import type { TrackedLayer } from './tracked.ts';

type Observer = <T>(layer: TrackedLayer, given: readonly unknown[], call: () => T) => T;

let observer: Observer | null = null;

export function provideObserver(loaded: Observer): void {
  observer = loaded;
}

/** Runs `call` of `layer` on `given`: observed, where it is an outermost call under a tape. */
export function observed<T>(layer: TrackedLayer, given: readonly unknown[], call: () => T): T {
  if (activeRecorders().length === 0 || currentCall() !== null) return call();
  if (observer) return observer(layer, given, call);
  // Later calls are observed. Where it can't be loaded, only a warning is missing.
  import('./strayVariables.ts').catch(() => {});
  return call();
}
