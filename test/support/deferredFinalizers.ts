/**
 * @file Finalizers run between tests, or when a test asks for them, and never in the middle of one: whether the engine
 * happens to collect what earlier tests dropped must not change what `memory()` counts. Imported before the library, whose
 * modules create their registries as they load.
 */

const pending: (() => void)[] = [];

class DeferredRegistry<T> extends FinalizationRegistry<T> {
  constructor(finalize: (held: T) => void) {
    super((held) => pending.push(() => finalize(held)));
  }
}

globalThis.FinalizationRegistry = DeferredRegistry;

/** Runs the finalizers of what has been collected since the last call. */
export function runFinalizers(): void {
  for (const finalize of pending.splice(0)) finalize();
}
