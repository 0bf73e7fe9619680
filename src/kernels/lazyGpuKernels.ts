/**
 * @file The part that is loaded for the profiles of GPUs. Like lazyBlocklist.ts, it re-exports the core, though nothing reads
 * that, so that bundlers don't put what it shares with the core into another file.
 */
import { direct } from './directConvolution.ts';
import { directAlgorithm } from './directShapes.ts';
import { provideGpuKernels } from './gpuKernels.ts';
import { patches } from './patchConvolution.ts';

export * as core from './coreKernels.ts';

/** Makes the kernels available to the core. */
export function provide(): void {
  provideGpuKernels({ directAlgorithm, direct, patches });
}
