/**
 * @file Provides training from the start. Imported for its side effect by `retrograd/keras`; bundlers drop that import,
 * because the package declares its modules free of side effects, and `lazyTraining.ts` loads training on demand instead.
 */
import * as training from './index.ts';
import { provideTraining } from './lazyTraining.ts';

/** Provides training now, for calls that need it and cannot wait. */
export function preloadTraining(): void {
  provideTraining(training);
}

preloadTraining();
