/**
 * @file Launches Winograd convolutions: transforms, one GEMM per frequency, inverse transforms. Transformed tiles take
 * more memory than their image, so large images are computed in bands of tiles.
 */
import {
  type Block,
  type GradientOptions,
  gradientParams,
  kernelsParams,
  type ResultOptions,
  resultParams,
  tileSize,
  tilesParams,
  winogradGradient,
  winogradKernels,
  winogradResult,
  winogradTiles,
  winogradWorkgroup,
} from '../../shaders/winograd.ts';
import type { ConvolutionGeometry } from '../core/convolution.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { Device } from '../webgpu/device.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { profileOf } from './adapterProfiles.ts';
import { type Conv2dProblem, conv2dResult } from './conv2dProblem.ts';
import { upTo } from './gemmTiles.ts';
import { matMulKernel } from './matMul.ts';
import { output } from './output.ts';
import type { Epilogue } from './partialSums.ts';

const tilesKernel = /* @__PURE__ */ defineKernel({
  name: 'winogradTiles',
  bindings: { image: 'read f32', tiles: 'write f32' },
  params: tilesParams,
  source: winogradTiles,
});

const kernelsKernel = /* @__PURE__ */ defineKernel({
  name: 'winogradKernels',
  bindings: { weights: 'read f32', kernels: 'write f32' },
  params: kernelsParams,
  source: winogradKernels,
});

const resultKernel = /* @__PURE__ */ defineKernel({
  name: 'winogradResult',
  bindings: ({ bias }: ResultOptions): Bindings => ({
    sums: 'read f32',
    ...(bias ? { bias_values: 'read f32' as const } : {}),
    result: 'write f32',
  }),
  params: resultParams,
  source: winogradResult,
});

const gradientKernel = /* @__PURE__ */ defineKernel({
  name: 'winogradGradient',
  bindings: ({ adds }: GradientOptions): Bindings => ({
    sums: 'read f32',
    ...(adds ? { before: 'read f32' as const } : {}),
    gradient: 'write f32',
  }),
  params: gradientParams,
  source: winogradGradient,
});

const float32 = (shape: number[]): TensorSpec => ({ shape, dtype: 'float32' });
/** Channels with padding. */
const padded = (channels: number) => upTo(4, channels);
const groups = (invocations: number) => Math.ceil(invocations / winogradWorkgroup);

/** The tiles of images whose results are `height` × `width`. */
interface Tiling {
  block: Block;
  rows: number;
  columns: number;
  count: number;
}

function tilingOf(block: Block, batch: number, height: number, width: number): Tiling {
  const rows = Math.ceil(height / block);
  const columns = Math.ceil(width / block);
  return { block, rows, columns, count: batch * rows * columns };
}

/** Tiles that are computed at once. */
interface Band {
  first: number;
  count: number;
}

/** Bands of equal size: as few as possible, so that the tiles of one, with `channels` in total, fit the device's limits. */
function bandsOf(device: Device, { block, count }: Tiling, channels: number): Band[] {
  const bytes = tileSize(block) ** 2 * channels * 4;
  const { bandBytes } = profileOf(device).conv2d.winograd;
  const bands = Math.min(count, Math.ceil((count * bytes) / bandBytes));
  const size = Math.ceil(count / bands);
  return Array.from({ length: Math.ceil(count / size) }, (_, i) => ({
    first: i * size,
    count: Math.min(size, count - i * size),
  }));
}

/** The size of an image, or of its cotangent. */
interface Plane {
  height: number;
  width: number;
  channels: number;
}

const tileValues = ({ rows, columns }: Tiling, band: Band, { height, width, channels }: Plane) => ({
  tiles: band.count,
  first_tile: band.first,
  tile_rows: rows,
  tile_columns: columns,
  height,
  width,
  channels,
  tile_channels: padded(channels),
});

/** The transformed tiles of a band: [frequencies, tiles, channels]. */
function transformTiles(
  op: string,
  of: 'image' | 'cotangent',
  tiling: Tiling,
  band: Band,
  values: Tensor,
  plane: Plane,
  padding: readonly [number, number],
): Tensor {
  const { device } = values;
  const channels = padded(plane.channels);
  const tiles = output(device, float32([tileSize(tiling.block) ** 2, band.count, channels]), op);
  const count = band.count * channels;
  device.launch(tilesKernel, {
    options: { block: tiling.block, of },
    bindings: { image: values.storage, tiles: tiles.storage },
    params: { ...tileValues(tiling, band, plane), count, pad_h: padding[0], pad_w: padding[1] },
    workgroups: groups(count),
  });
  return tiles;
}

/** The layout of the matrices in a kernel [3, 3, inputs, outputs]. */
interface KernelMatrices {
  /** Rows are channels that are summed over, columns those of the result. */
  rows: number;
  columns: number;
  rowStride: number;
  columnStride: number;
  /** Whether taps are read in reverse. */
  flipped: boolean;
}

/** The transformed kernels: [frequencies, rows, columns]. */
function transformKernels(op: string, block: Block, kernel: Tensor, matrices: KernelMatrices): Tensor {
  const { device } = kernel;
  const [rows, columns] = [padded(matrices.rows), padded(matrices.columns)];
  const kernels = output(device, float32([tileSize(block) ** 2, rows, columns]), op);
  const tap = matrices.rows * matrices.columns;
  device.launch(kernelsKernel, {
    options: { block },
    bindings: { weights: kernel.storage, kernels: kernels.storage },
    params: {
      count: rows * columns,
      columns,
      used_rows: matrices.rows,
      used_columns: matrices.columns,
      first: matrices.flipped ? 8 * tap : 0,
      tap_stride: matrices.flipped ? -tap : tap,
      row_stride: matrices.rowStride,
      column_stride: matrices.columnStride,
    },
    workgroups: groups(rows * columns),
  });
  return kernels;
}

const matrices = (values: Tensor, transposed = false) => ({
  values,
  batch: [values.shape[0] as number],
  transposed,
});

/** A convolution: the size of the image, its padding, and the layout of the kernel's matrices. */
interface ConvolveForm {
  plane: Plane;
  padding: readonly [number, number];
  matrices: KernelMatrices;
}

/** Convolves `image` with the kernel's matrices, band by band. */
function convolve(
  op: string,
  block: Block,
  batch: number,
  image: Tensor,
  kernel: Tensor,
  { plane, padding, matrices: kernelMatrices }: ConvolveForm,
  spec: TensorSpec,
  { bias = null, activation = 'value', alpha = 0 }: Epilogue,
): Tensor {
  const { device } = kernel;
  const [, height, width, channels] = spec.shape as [number, number, number, number];
  const tiling = tilingOf(block, batch, height, width);
  const frequencies = tileSize(block) ** 2;
  const kernels = transformKernels(op, block, kernel, kernelMatrices);
  const out = output(device, spec, op);
  for (const band of bandsOf(device, tiling, padded(plane.channels) + padded(channels))) {
    const tiles = transformTiles(op, 'image', tiling, band, image, plane, padding);
    const sizes = { m: band.count, n: padded(channels), k: padded(plane.channels), batch: [frequencies] };
    const sums = matMulKernel(
      op,
      matrices(tiles),
      matrices(kernels),
      sizes,
      float32([frequencies, sizes.m, sizes.n]),
    );
    tiles.dispose();
    const count = band.count * channels;
    device.launch(resultKernel, {
      options: { block, bias: bias !== null, activation },
      bindings: {
        sums: sums.storage,
        ...(bias ? { bias_values: bias.storage } : {}),
        result: out.storage,
      },
      params: { ...tileValues(tiling, band, { height, width, channels }), count, alpha },
      workgroups: groups(count),
    });
    sums.dispose();
  }
  kernels.dispose();
  return out;
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

/** A Winograd convolution with tiles of `block` results along each axis. */
export function winograd(
  op: string,
  problem: Conv2dProblem,
  block: Block,
  a: Tensor,
  b: Tensor,
  epilogue: Epilogue,
): Tensor {
  const { direction, geometry } = problem;
  const { batch } = geometry;
  const spec = conv2dResult(problem);
  if (direction === 'filterGrad') return filterGrad(op, block, geometry, a, b, spec);
  const form = direction === 'forward' ? forwardForm(geometry) : inputGradForm(geometry);
  return convolve(op, block, batch, a, b, form, spec, epilogue);
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

/** The filter gradient. Sums of bands are added in order, so that the bits are the same every time. */
function filterGrad(
  op: string,
  block: Block,
  geometry: ConvolutionGeometry,
  x: Tensor,
  dy: Tensor,
  spec: TensorSpec,
): Tensor {
  const { batch, rows, columns, inputs, outputs } = geometry;
  const { device } = x;
  const frequencies = tileSize(block) ** 2;
  const tiling = tilingOf(block, batch, rows.output, columns.output);
  let gradient: Tensor | null = null;
  for (const band of bandsOf(device, tiling, padded(inputs) + padded(outputs))) {
    const padding = [rows.before, columns.before] as const;
    const image = transformTiles(op, 'image', tiling, band, x, imagePlane(geometry), padding);
    const cotangent = transformTiles(op, 'cotangent', tiling, band, dy, resultPlane(geometry), [0, 0]);
    const sizes = { m: padded(inputs), n: padded(outputs), k: band.count, batch: [frequencies] };
    const sums = matMulKernel(
      op,
      matrices(image, true),
      matrices(cotangent),
      sizes,
      float32([frequencies, sizes.m, sizes.n]),
    );
    image.dispose();
    cotangent.dispose();
    const before: Tensor | null = gradient;
    gradient = output(device, spec, op);
    device.launch(gradientKernel, {
      options: { block, adds: before !== null },
      bindings: {
        sums: sums.storage,
        ...(before ? { before: before.storage } : {}),
        gradient: gradient.storage,
      },
      params: {
        count: inputs * outputs,
        outputs,
        matrix_rows: sizes.m,
        matrix_columns: sizes.n,
      },
      workgroups: groups(inputs * outputs),
    });
    sums.dispose();
    before?.dispose();
  }
  return gradient as Tensor;
}
