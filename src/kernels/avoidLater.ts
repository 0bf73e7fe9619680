/**
 * @file What the core loads when a pipeline doesn't compile. It names the core, though nothing reads that export: so bundlers see
 * that whatever it shares with the core is loaded already. Otherwise Rolldown makes another file, which every app would load at
 * the start, of what the app's first file, the core and this one share.
 */
export { avoidPipeline } from './avoidance.ts';
export * as core from './coreKernels.ts';
