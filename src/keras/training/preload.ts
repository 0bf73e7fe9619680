/**
 * @file Has training at hand from the beginning. Bundlers leave this out where it is imported for its effect alone, and
 * `loadTraining` loads it.
 */
import * as training from './index.ts';
import { provideTraining } from './lazyTraining.ts';

/** Has training at hand now: for calls that need it and can't wait. */
export function haveTraining(): void {
  provideTraining(training);
}

haveTraining();
