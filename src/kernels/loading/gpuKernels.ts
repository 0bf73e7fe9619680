/**
 * @file The kernels that only profiles of GPUs select. They are loaded apart from the core (loadKernelsFor.ts), so that software
 * adapters don't load them: the core selects and launches them by what has been provided here.
 */
import type { DirectShape } from '../../../shaders/convolution/direct.ts';
import type { PatchShape } from '../../../shaders/convolution/patches.ts';
import type { PatchFilterGradShape } from '../../../shaders/convolution/patchFilterGrad.ts';
import type { LaneParts } from '../../../shaders/reduce/lanes.ts';
import type { ReduceOptions } from '../../../shaders/reduce/program.ts';
import type { GemmTile } from '../../../shaders/gemm/problem.ts';
import type { AdapterProfile, GemmProfile } from '../selection/adapterProfile.ts';
import type { Conv2dLauncher, Conv2dProblem } from '../convolution/conv2dCall.ts';
import type { DeviceProfile } from '../selection/deviceProfile.ts';
import type { GemmProblem, GemmSize, Split } from '../gemm/gemmProblem.ts';
import { loadedPart } from './loadedPart.ts';
import type {
  Band,
  TiledImage,
  Tiling,
  TransformedKernel,
  WinogradOperands,
} from '../winograd/winogradTransforms.ts';

/** Each result is summed by one invocation, from values that a workgroup shares. */
export interface DirectAlgorithm {
  readonly kind: 'direct';
  readonly shape: DirectShape;
}

/** Windows are read from a part of the image that a workgroup shares. */
export interface PatchForwardAlgorithm {
  readonly kind: 'patches';
  readonly shape: PatchShape;
}

/** The same for the gradient of the kernel, of which a workgroup has partial sums. */
export interface PatchFilterGradAlgorithm {
  readonly kind: 'patches';
  readonly shape: PatchFilterGradShape;
  /** Partial sums of each result. */
  readonly parts: number;
}

export type PatchAlgorithm = PatchForwardAlgorithm | PatchFilterGradAlgorithm;

/** Transforms a kernel and a band of an image's tiles. */
export type TransformOperands = (
  op: string,
  tiling: Tiling,
  band: Band,
  image: TiledImage,
  kernel: TransformedKernel,
) => WinogradOperands;

export interface GpuKernels {
  /** Returns how a convolution of few channels, of the result or of the image, is computed without a GEMM; null if it can't be. */
  fewChannelsAlgorithm(
    problem: Conv2dProblem,
    profile: Pick<AdapterProfile, 'gemm'>,
  ): DirectAlgorithm | PatchAlgorithm | null;
  readonly direct: Conv2dLauncher<DirectAlgorithm>;
  readonly patches: Conv2dLauncher<PatchAlgorithm>;
  readonly transformOperands: TransformOperands;
  /** Returns the tile of a GEMM. */
  gpuTile(problem: GemmProblem, profile: DeviceProfile): GemmTile;
  /** Returns how k is split for a tile in workgroup memory, into at most `max` parts. */
  sharedSplit(tile: GemmTile, size: GemmSize, profile: GemmProfile, max: number): Split;
  /** Returns the WGSL of a reduction in which invocations share a line. */
  laneReduce(options: ReduceOptions): string;
  /** The parts of that. */
  laneParts(options: ReduceOptions): LaneParts;
}

const part = /* @__PURE__ */ loadedPart<GpuKernels>('GPUs');

/** Called when the kernels have been loaded. */
export const provideGpuKernels = part.provide;

/** Errors: DeviceError if they haven't been loaded. */
export const gpuKernels = part.get;
