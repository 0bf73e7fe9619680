/** @file What `loadTraining` imports, and nothing else does: where bundlers part training from the rest. */
export * from './index.ts';
