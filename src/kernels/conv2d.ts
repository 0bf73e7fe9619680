/** @file Launches convolutions and their gradients: selects an algorithm, then runs it. */
import type { ConvolutionGeometry } from '../core/convolution.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { algorithmFor } from './algorithmFor.ts';
import { gemmCol2im } from './col2im.ts';
import { type Conv2dAlgorithm, conv2dTunable } from './conv2dAlgorithm.ts';
import { type Conv2dProblem, conv2dResult } from './conv2dProblem.ts';
import { unpackFloat16 } from './float16.ts';
import { implicitGemm } from './implicitGemm.ts';
import { type MatrixOperand, matMulKernel } from './matMul.ts';
import type { Epilogue } from './partialSums.ts';
import { winograd } from './winograd.ts';

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
  epilogue: Epilogue = {},
): Tensor {
  return conv2d(op, 'inputGrad', geometry, dy, kernel, epilogue);
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
  return launchConv2d(op, problem, algorithmFor(a.device, conv2dTunable, problem), a, b, epilogue);
}

/** Launches a convolution by a given algorithm. */
export function launchConv2d(
  op: string,
  problem: Conv2dProblem,
  algorithm: Conv2dAlgorithm,
  a: Tensor,
  b: Tensor,
  epilogue: Epilogue,
): Tensor {
  switch (algorithm.kind) {
    case 'gemm':
      return pointwise(op, problem, a, b, epilogue);
    case 'implicitGemm':
      return implicitGemm(op, problem, a, b, conv2dResult(problem), epilogue);
    case 'gemmCol2im':
      return gemmCol2im(op, problem, asFloat32(op, a), asFloat32(op, b), epilogue);
    case 'winograd':
      return winograd(op, problem, algorithm.block, asFloat32(op, a), asFloat32(op, b), epilogue);
  }
}

/** Algorithms that transform their operands read float32. */
const asFloat32 = (op: string, x: Tensor) => (x.dtype === 'float16' ? unpackFloat16(op, x) : x);

/** A 1 × 1 convolution: pixels are the rows of a matrix. */
function pointwise(op: string, problem: Conv2dProblem, a: Tensor, b: Tensor, epilogue: Epilogue): Tensor {
  const { direction, geometry } = problem;
  const { batch, rows, columns, inputs, outputs } = geometry;
  const pixels = batch * rows.input * columns.input;
  const sizes = {
    forward: { m: pixels, n: outputs, k: inputs },
    inputGrad: { m: pixels, n: inputs, k: outputs },
    filterGrad: { m: inputs, n: outputs, k: pixels },
  } as const;
  const matrix = (values: Tensor, transposed: boolean): MatrixOperand => ({ values, batch: [], transposed });
  return matMulKernel(
    op,
    matrix(a, direction === 'filterGrad'),
    matrix(b, direction === 'inputGrad'),
    { ...sizes[direction], batch: [] },
    conv2dResult(problem),
    epilogue,
  );
}
