/**
 * @file The part that the core loads when a pipeline doesn't compile. It re-exports the core, though nothing reads that:
 * bundlers then see that everything it shares with the core is loaded already. Otherwise Rolldown splits off another file,
 * which every app would load at the start, with the code that the app's first file, the core and this one share.
 */
export { blockPipeline } from '../selection/variantBlocklist.ts';
export * as core from './coreKernels.ts';
