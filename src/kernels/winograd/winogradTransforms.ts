/** @file Launches the transforms of Winograd convolutions: of tiles and kernels, and back. Tiles are computed in bands. */
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
} from '../../../shaders/winograd.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Device } from '../../webgpu/device.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { upTo } from '../launch/rounding.ts';
import { output } from '../launch/output.ts';
import { biasBinding, biasStorage, type Epilogue, epilogueOptions } from '../launch/epilogue.ts';

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
  bindings: (options: ResultOptions): Bindings => ({
    sums: 'read f32',
    ...biasBinding(options, 'f32'),
    result: 'write f32',
  }),
  params: resultParams,
  source: winogradResult,
  stores: 'result',
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

export const float32 = (shape: number[]): TensorSpec => ({ shape, dtype: 'float32' });
/** Returns the number of channels with padding. */
export const padded = (channels: number) => upTo(4, channels);
export const groups = (invocations: number) => Math.ceil(invocations / winogradWorkgroup);

/** The tiles of images whose results are `height` × `width`. */
export interface Tiling {
  block: Block;
  rows: number;
  columns: number;
  count: number;
}

export function tilingOf(block: Block, batch: number, height: number, width: number): Tiling {
  const rows = Math.ceil(height / block);
  const columns = Math.ceil(width / block);
  return { block, rows, columns, count: batch * rows * columns };
}

/** Tiles that are computed per launch. */
export interface Band {
  first: number;
  count: number;
}

/**
 * Returns bands of equal size: as few as possible, so that the tiles of one, with `channels` in total, fit the device's
 * limits.
 */
export function bandsOf(device: Device, { block, count }: Tiling, channels: number): Band[] {
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
export interface Plane {
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

/** An image or a cotangent whose tiles are transformed. */
export interface TiledImage {
  of: 'image' | 'cotangent';
  values: Tensor;
  plane: Plane;
  padding: readonly [number, number];
}

/** Returns the result of transforming a band's tiles, [frequencies, tiles, channels], with what the launch needs. */
export function tilesPart(op: string, tiling: Tiling, band: Band, { values, plane, padding }: TiledImage) {
  const channels = padded(plane.channels);
  const spec = float32([tileSize(tiling.block) ** 2, band.count, channels]);
  const tiles = output(values.device, spec, op);
  return {
    tiles,
    count: band.count * channels,
    bindings: { image: values.storage, tiles: tiles.storage },
    params: { pad_h: padding[0], pad_w: padding[1], ...tileValues(tiling, band, plane) },
  };
}

/** Returns the transformed tiles of a band: [frequencies, tiles, channels]. */
export function transformTiles(op: string, tiling: Tiling, band: Band, image: TiledImage): Tensor {
  const { tiles, count, bindings, params } = tilesPart(op, tiling, band, image);
  image.values.device.launch(tilesKernel, {
    options: { block: tiling.block, of: image.of },
    bindings,
    params: { count, ...params },
    workgroups: groups(count),
  });
  return tiles;
}

/** The layout of the matrices in a kernel [3, 3, inputs, outputs]. */
export interface KernelMatrices {
  /** Rows are channels that are summed over, columns those of the result. */
  rows: number;
  columns: number;
  rowStride: number;
  columnStride: number;
  /** Whether taps are read in reverse. */
  flipped: boolean;
}

/** Both, [frequencies, rows, columns] and [frequencies, tiles, channels]: the operands of a GEMM for each frequency. */
export interface WinogradOperands {
  kernels: Tensor;
  tiles: Tensor;
}

/** A kernel whose matrices are transformed. */
export interface TransformedKernel {
  values: Tensor;
  matrices: KernelMatrices;
}

/** Returns the result of transforming a kernel, [frequencies, rows, columns], with what the launch needs. */
export function kernelsPart(op: string, block: Block, { values, matrices }: TransformedKernel) {
  const [rows, columns] = [padded(matrices.rows), padded(matrices.columns)];
  const kernels = output(values.device, float32([tileSize(block) ** 2, rows, columns]), op);
  const tap = matrices.rows * matrices.columns;
  return {
    kernels,
    count: rows * columns,
    bindings: { weights: values.storage, kernels: kernels.storage },
    params: {
      kernel_count: rows * columns,
      kernel_columns: columns,
      used_rows: matrices.rows,
      used_columns: matrices.columns,
      first_tap: matrices.flipped ? 8 * tap : 0,
      tap_stride: matrices.flipped ? -tap : tap,
      row_stride: matrices.rowStride,
      column_stride: matrices.columnStride,
    },
  };
}

/** Returns the transformed kernels: [frequencies, rows, columns]. */
export function transformKernels(op: string, block: Block, kernel: TransformedKernel): Tensor {
  const { kernels, count, bindings, params } = kernelsPart(op, block, kernel);
  kernel.values.device.launch(kernelsKernel, {
    options: { block },
    bindings,
    params: { count, ...params },
    workgroups: groups(count),
  });
  return kernels;
}

/** Transforms the sums of a band back, and writes its part of the result. */
export function writeResult(
  tiling: Tiling,
  band: Band,
  sums: Tensor,
  epilogue: Epilogue,
  result: Tensor,
): void {
  const [, height, width, channels] = result.shape as [number, number, number, number];
  const count = band.count * channels;
  sums.device.launch(resultKernel, {
    options: { block: tiling.block, ...epilogueOptions(epilogue) },
    bindings: {
      sums: sums.storage,
      ...biasStorage(epilogue),
      result: result.storage,
    },
    params: { ...tileValues(tiling, band, { height, width, channels }), count, alpha: epilogue.alpha ?? 0 },
    workgroups: groups(count),
  });
}

/** Returns the gradient of a kernel from the sums of a band, added to `before`, that of the bands before it. */
export function transformGradient(
  op: string,
  block: Block,
  sums: Tensor,
  before: Tensor | null,
  spec: TensorSpec,
): Tensor {
  const [, , inputs, outputs] = spec.shape as [number, number, number, number];
  const [, rows, columns] = sums.shape as [number, number, number];
  const gradient = output(sums.device, spec, op);
  sums.device.launch(gradientKernel, {
    options: { block, adds: before !== null },
    bindings: {
      sums: sums.storage,
      ...(before ? { before: before.storage } : {}),
      gradient: gradient.storage,
    },
    params: { count: inputs * outputs, outputs, matrix_rows: rows, matrix_columns: columns },
    workgroups: groups(inputs * outputs),
  });
  return gradient;
}
