/**
 * @file The kernels that only profiles of software adapters select. They are loaded apart from the core (loadKernelsFor.ts), so that
 * GPUs don't load them.
 */
import type { BlockShape } from '../../../shaders/convolution/blocks.ts';
import type { BlockFilterGradShape } from '../../../shaders/convolution/blockFilterGrad.ts';
import type { Conv2dLauncher, Conv2dProblem } from '../convolution/conv2dCall.ts';
import { loadedPart } from './loadedPart.ts';

/** Each result is summed by one invocation, which computes adjacent ones. */
export interface BlockAlgorithm {
  readonly kind: 'blocks';
  readonly shape: BlockShape | BlockFilterGradShape;
}

export interface SoftwareKernels {
  /** Returns how a convolution of few channels, of a group or of all, is computed without a GEMM; null if it can't be. */
  blockAlgorithm(problem: Conv2dProblem): BlockAlgorithm | null;
  /** Returns the estimated cost of a problem with `work` multiplications, in those of a GEMM. */
  costOfBlocks(problem: Conv2dProblem, algorithm: BlockAlgorithm, work: number): number;
  readonly blocks: Conv2dLauncher<BlockAlgorithm>;
}

const part = /* @__PURE__ */ loadedPart<SoftwareKernels>('software adapters');

/** Called when the kernels have been loaded. */
export const provideSoftwareKernels = part.provide;

/** Errors: DeviceError if they haven't been loaded. */
export const softwareKernels = part.get;
