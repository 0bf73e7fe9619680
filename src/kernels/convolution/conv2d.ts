/** @file Launches convolutions and their gradients: selects an algorithm, then runs it. */
import type { ConvolutionGeometry } from '../../core/convolution.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { algorithmFor } from '../selection/algorithmFor.ts';
import { gemmCol2im } from './col2im.ts';
import { type Conv2dAlgorithm, conv2dTunable } from './conv2dAlgorithm.ts';
import { type Conv2dCall, type Conv2dLauncher, type Conv2dProblem, conv2dResult } from './conv2dCall.ts';
import { implicitGemm } from './implicitGemm.ts';
import type { Epilogue } from '../launch/epilogue.ts';
import { type DirectAlgorithm, gpuKernels, type PatchAlgorithm } from '../loading/gpuKernels.ts';
import { pointwiseGemm } from './pointwiseGemm.ts';
import { type BlockAlgorithm, softwareKernels } from '../loading/softwareKernels.ts';
import { winograd } from '../winograd/winograd.ts';

const launchers: Readonly<Record<Conv2dAlgorithm['kind'], Conv2dLauncher<Conv2dAlgorithm>>> = {
  gemm: pointwiseGemm,
  implicitGemm,
  gemmCol2im,
  blocks: { launch: (call: Conv2dCall<BlockAlgorithm>) => softwareKernels().blocks.launch(call) },
  direct: { launch: (call: Conv2dCall<DirectAlgorithm>) => gpuKernels().direct.launch(call) },
  patches: { launch: (call: Conv2dCall<PatchAlgorithm>) => gpuKernels().patches.launch(call) },
  winograd,
};

/** The convolution of image `x` with `kernel`. */
export function conv2dKernel(
  op: string,
  geometry: ConvolutionGeometry,
  x: Tensor,
  kernel: Tensor,
  epilogue: Epilogue = {},
): Tensor {
  return conv2d(op, 'forward', geometry, x, kernel, epilogue);
}

/** The gradient for the image, from the cotangent `dy` of the result. */
export function conv2dInputGradKernel(
  op: string,
  geometry: ConvolutionGeometry,
  dy: Tensor,
  kernel: Tensor,
): Tensor {
  return conv2d(op, 'inputGrad', geometry, dy, kernel, {});
}

/** The gradient for the kernel. */
export function conv2dFilterGradKernel(
  op: string,
  geometry: ConvolutionGeometry,
  x: Tensor,
  dy: Tensor,
): Tensor {
  return conv2d(op, 'filterGrad', geometry, x, dy, {});
}

function conv2d(
  op: string,
  direction: Conv2dProblem['direction'],
  geometry: ConvolutionGeometry,
  a: Tensor,
  b: Tensor,
  epilogue: Epilogue,
): Tensor {
  const problem: Conv2dProblem = { direction, geometry, dtypes: [a.dtype, b.dtype] };
  const algorithm = algorithmFor(a.device, conv2dTunable, problem);
  return launchConv2d({ op, problem, algorithm, a, b, spec: conv2dResult(problem), epilogue });
}

/** Launches a convolution by the algorithm that the call names. */
export function launchConv2d(call: Conv2dCall<Conv2dAlgorithm>): Tensor {
  return launchers[call.algorithm.kind].launch(call);
}
