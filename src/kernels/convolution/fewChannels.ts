/** @file Selects the algorithm of a convolution of few channels, of the result or of the image, that isn't a GEMM. */
import type { AdapterProfile } from '../selection/adapterProfile.ts';
import { allowsCol2im } from './conv2dAlgorithm.ts';
import type { Conv2dProblem } from './conv2dCall.ts';
import { directShape, patchShape } from './directShapes.ts';
import { filterGradAlgorithm } from './filterGradShape.ts';
import type { DirectAlgorithm, PatchAlgorithm } from '../loading/gpuKernels.ts';

/** Returns the algorithm for a problem of few channels; null if there is none. */
export function fewChannelsAlgorithm(
  problem: Conv2dProblem,
  profile: Pick<AdapterProfile, 'gemm'>,
): DirectAlgorithm | PatchAlgorithm | null {
  const direct = allowsCol2im(problem) ? directShape(problem) : null;
  if (direct) return { kind: 'direct', shape: direct };
  const patches = patchShape(problem, profile);
  if (patches) return { kind: 'patches', shape: patches };
  return filterGradAlgorithm(problem, profile);
}
