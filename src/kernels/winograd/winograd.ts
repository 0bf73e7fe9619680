/**
 * @file Launches Winograd convolutions: transforms, one GEMM per frequency, inverse transforms. Transformed tiles take
 * more memory than their image, so large images are computed in bands of tiles.
 */
import { tileSize } from '../../../shaders/winograd.ts';
import type { ConvolutionGeometry } from '../../core/convolution.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import type { WinogradAlgorithm } from '../convolution/conv2dAlgorithm.ts';
import { type Conv2dCall, type Conv2dLauncher, widened } from '../convolution/conv2dCall.ts';
import { gpuKernels, type TransformOperands } from '../loading/gpuKernels.ts';
import { type MatrixOperand, matMulKernel } from '../gemm/matMul.ts';
import { output } from '../launch/output.ts';
import {
  bandsOf,
  float32,
  type KernelMatrices,
  padded,
  type Plane,
  type TiledImage,
  tilingOf,
  transformGradient,
  transformKernels,
  transformTiles,
  writeResult,
} from './winogradTransforms.ts';

type WinogradCall = Conv2dCall<WinogradAlgorithm>;

export const winograd: Conv2dLauncher<WinogradAlgorithm> = {
  launch(given) {
    const call = widened(given);
    const { direction, geometry } = call.problem;
    if (direction === 'filterGrad') return filterGrad(call);
    return convolve(call, direction === 'forward' ? forwardForm(geometry) : inputGradForm(geometry));
  },
};

/** A convolution: the size of the image, its padding, and the layout of the kernel's matrices. */
interface ConvolveForm {
  plane: Plane;
  padding: readonly [number, number];
  matrices: KernelMatrices;
}

function forwardForm(geometry: ConvolutionGeometry): ConvolveForm {
  const { rows, columns, inputs, outputs } = geometry;
  const matrices = { rows: inputs, columns: outputs, rowStride: outputs, columnStride: 1, flipped: false };
  return { plane: imagePlane(geometry), padding: [rows.before, columns.before], matrices };
}

/** The convolution of `dy` with the rotated kernel: leading and trailing padding are exchanged. */
function inputGradForm(geometry: ConvolutionGeometry): ConvolveForm {
  const { rows, columns, inputs, outputs } = geometry;
  const matrices = { rows: outputs, columns: inputs, rowStride: 1, columnStride: outputs, flipped: true };
  return { plane: resultPlane(geometry), padding: [2 - rows.before, 2 - columns.before], matrices };
}

const imagePlane = ({ rows, columns, inputs }: ConvolutionGeometry): Plane => ({
  height: rows.input,
  width: columns.input,
  channels: inputs,
});

const resultPlane = ({ rows, columns, outputs }: ConvolutionGeometry): Plane => ({
  height: rows.output,
  width: columns.output,
  channels: outputs,
});

/** Convolves image `a` with the matrices of kernel `b`, band by band. */
function convolve(call: WinogradCall, { plane, padding, matrices }: ConvolveForm): Tensor {
  const { op, a, b, spec, epilogue, problem } = call;
  const { block } = call.algorithm;
  const [, height, width, channels] = spec.shape as [number, number, number, number];
  const tiling = tilingOf(block, problem.geometry.batch, height, width);
  const image: TiledImage = { of: 'image', values: a, plane, padding };
  const out = output(b.device, spec, op);
  let kernels: Tensor | null = null;
  for (const band of bandsOf(b.device, tiling, padded(plane.channels) + padded(channels))) {
    let tiles: Tensor;
    if (kernels) tiles = transformTiles(op, tiling, band, image);
    else ({ kernels, tiles } = transformOperands(op, tiling, band, image, { values: b, matrices }));
    const sizes = { m: band.count, n: padded(channels), k: padded(plane.channels) };
    const sums = multiplyFrequencies(call, frequencyMatrices(tiles), frequencyMatrices(kernels), sizes);
    tiles.dispose();
    writeResult(tiling, band, sums, epilogue, out);
    sums.dispose();
  }
  kernels?.dispose();
  return out;
}

/** Both operands of the first band, in as many launches as suit the adapter. */
const transformOperands: TransformOperands = (op, tiling, band, image, kernel) =>
  profileOf(image.values.device).conv2d.winograd.together
    ? gpuKernels().transformOperands(op, tiling, band, image, kernel)
    : {
        kernels: transformKernels(op, tiling.block, kernel),
        tiles: transformTiles(op, tiling, band, image),
      };

/** Computes the filter gradient. Sums of bands are added in order, so that the bits are the same every time. */
function filterGrad(call: WinogradCall): Tensor {
  const { op, a: x, b: dy, spec } = call;
  const { block } = call.algorithm;
  const { geometry } = call.problem;
  const { batch, rows, columns, inputs, outputs } = geometry;
  const tiling = tilingOf(block, batch, rows.output, columns.output);
  let gradient: Tensor | null = null;
  for (const band of bandsOf(x.device, tiling, padded(inputs) + padded(outputs))) {
    const image = transformTiles(op, tiling, band, {
      of: 'image',
      values: x,
      plane: imagePlane(geometry),
      padding: [rows.before, columns.before],
    });
    const cotangent = transformTiles(op, tiling, band, {
      of: 'cotangent',
      values: dy,
      plane: resultPlane(geometry),
      padding: [0, 0],
    });
    const sizes = { m: padded(inputs), n: padded(outputs), k: band.count };
    const sums = multiplyFrequencies(
      call,
      frequencyMatrices(image, true),
      frequencyMatrices(cotangent),
      sizes,
    );
    image.dispose();
    cotangent.dispose();
    const before: Tensor | null = gradient;
    gradient = transformGradient(op, block, sums, before, spec);
    sums.dispose();
    before?.dispose();
  }
  return gradient as Tensor;
}

/** One GEMM for each frequency: [frequencies, m, n]. */
function multiplyFrequencies(
  { op, algorithm: { block } }: WinogradCall,
  a: MatrixOperand,
  b: MatrixOperand,
  { m, n, k }: { m: number; n: number; k: number },
): Tensor {
  const frequencies = tileSize(block) ** 2;
  const sizes = { m, n, k, batch: [frequencies] };
  return matMulKernel({ op, a, b, sizes, spec: float32([frequencies, m, n]) });
}

const frequencyMatrices = (values: Tensor, transposed = false): MatrixOperand => ({
  values,
  batch: [values.shape[0] as number],
  transposed,
});
