/**
 * @file Training, loaded on demand. Models reach training only through this module, so a bundler puts losses, metrics,
 * optimizers and callbacks into a chunk that an app loads when it trains. Without a bundler, `preload.ts` provides
 * training from the start.
 */
import { ValueError } from '../../core/errors.ts';
import type * as training from './index.ts';

export type Training = typeof training;

let loaded: Training | null = null;

/** Makes training available without loading. Null removes it again, for tests. */
export function provideTraining(training: Training | null): void {
  loaded = training;
}

/** Null if training is not loaded yet. */
export function loadedTraining(): Training | null {
  return loaded;
}

/** The only import of training by `import()`: bundlers split here. */
export async function loadTraining(): Promise<Training> {
  loaded ??= await import('./index.ts');
  return loaded;
}

/** Training, for calls that cannot wait. Errors: ValueError if it is not loaded yet. */
export function requireTraining(op: string): Training {
  if (loaded) return loaded;
  throw new ValueError({
    op,
    rule: 'a bundled app loads training on demand.',
    received: `${op}, before it was loaded`,
    hint: 'await model.loadTraining() first, or compile, fit, evaluate or predict.',
  });
}
