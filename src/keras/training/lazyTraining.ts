/**
 * @file Training, loaded when it is needed: a page that only applies a model leaves it where it is. What runs without a
 * bundler has it from the beginning (provide.ts).
 */
import { ValueError } from '../../core/errors.ts';
import type * as training from './index.ts';

export type Training = typeof training;

let loaded: Training | null = null;

/** Has training at hand; null takes it away again, for tests. */
export function provideTraining(training: Training | null): void {
  loaded = training;
}

/** Null where it isn't there yet. */
export function loadedTraining(): Training | null {
  return loaded;
}

export async function loadTraining(): Promise<Training> {
  loaded ??= await import('./onDemand.ts');
  return loaded;
}

/** For what can't wait for it. Errors: ValueError where it isn't there yet. */
export function requireTraining(op: string): Training {
  if (loaded) return loaded;
  throw new ValueError({
    op,
    rule: 'a bundled app loads training when it is wanted.',
    received: `${op}, while it isn’t there`,
    hint: 'await model.loadTraining() first, or compile, fit, evaluate or predict.',
  });
}
