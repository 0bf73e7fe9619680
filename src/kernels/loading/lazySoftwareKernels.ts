/**
 * @file The part that is loaded for the profiles of software adapters. Like lazyGpuKernels.ts, it re-exports the core, though nothing
 * reads that.
 */
import { blockConvolution } from '../convolution/blockConvolution.ts';
import { blockAlgorithm, costOfBlocks } from '../convolution/convolutionBlocks.ts';
import { provideSoftwareKernels } from './softwareKernels.ts';

export * as core from './coreKernels.ts';

/** Makes the kernels available to the core. */
export function provide(): void {
  provideSoftwareKernels({ blockAlgorithm, costOfBlocks, blocks: blockConvolution });
}
