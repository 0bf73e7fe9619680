/**
 * @file The part that is loaded for the profiles of GPUs. Like lazyBlocklist.ts, it re-exports the core, though nothing reads
 * that, so that bundlers don't put what it shares with the core into another file.
 */
import { lanes } from '../../../shaders/gemm/lanes.ts';
import { provideForm } from '../../../shaders/gemm/loadedForms.ts';
import { shared } from '../../../shaders/gemm/shared.ts';
import { laneParts, laneReduce } from '../../../shaders/reduce/lanes.ts';
import { direct } from '../convolution/directConvolution.ts';
import { fewChannelsAlgorithm } from '../convolution/fewChannels.ts';
import { type PatchAlgorithm, provideGpuKernels } from './gpuKernels.ts';
import { patchForward } from '../convolution/patchConvolution.ts';
import { patchFilterGradient } from '../convolution/patchFilterGrad.ts';
import type { Conv2dLauncher } from '../convolution/conv2dCall.ts';
import { gpuTile } from '../gemm/sharedGemm.ts';
import { sharedSplit } from '../gemm/sharedTime.ts';
import { transformOperands } from '../winograd/winogradOperands.ts';

export * as core from './coreKernels.ts';

const patches: Conv2dLauncher<PatchAlgorithm> = {
  launch({ algorithm, ...call }) {
    return 'parts' in algorithm
      ? patchFilterGradient.launch({ ...call, algorithm })
      : patchForward.launch({ ...call, algorithm });
  },
};

/** Makes the kernels available to the core. */
export function provide(): void {
  provideForm('shared', { write: shared });
  provideForm('lanes', { write: lanes });
  provideGpuKernels({
    fewChannelsAlgorithm,
    direct,
    patches,
    transformOperands,
    gpuTile,
    sharedSplit,
    laneReduce,
    laneParts,
  });
}
