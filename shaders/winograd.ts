/**
 * @file Winograd convolution for 3 × 3 kernels without strides and dilation: the transforms before and after the matmuls,
 * which the engine computes. An image is divided into tiles of block × block results; their transforms have (block + 2)²
 * values, one for each *frequency*. At each frequency, the convolution is a matmul:
 *
 *     forward            sums[f]  = tiles of x  [tile, input]  · kernels[f] [input, output]
 *     gradient of image  the same of dy, with the kernel rotated by 180° and its channels swapped
 *     gradient of kernel sums[f]  = tiles of xᵀ [input, tile]  · tiles of dy[f] [tile, output]
 *
 * One invocation transforms one tile (or kernel) of one channel; accesses are coalesced. Channels are padded with zeros to
 * multiples of four, for the engine's vectors.
 */
import { flatIndex } from './lib/indexing.ts';
import { activationFunction, type EpilogueOptions } from './lib/epilogue.ts';
import { repeat } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';
import {
  type Block,
  eachResult,
  transformFunctions,
  tileSize,
  transformSquare,
} from './winograd/transforms.ts';

export { type Block, tileSize } from './winograd/transforms.ts';

export const winogradWorkgroup = 64;

/** The start of a program for `params.count` invocations. */
export const winogradEntry = wgsl`
@compute @workgroup_size(${winogradWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${winogradWorkgroup}u);
  if (i >= params.count) {
    return;
  }`;

/** The position of a tile: its image, and its first row and column among the results. */
const placeOfTile = (block: Block) => wgsl`
struct Place {
  image: u32,
  row: u32,
  column: u32,
}

fn place_of(tile: u32) -> Place {
  let line = tile / params.tile_columns;
  return Place(
    line / params.tile_rows,
    line % params.tile_rows * ${block}u,
    tile % params.tile_columns * ${block}u,
  );
}
`;

const tileParams = {
  count: 'u32',
  /** Tiles of this launch, the first of them, and the number per image. */
  tiles: 'u32',
  first_tile: 'u32',
  tile_rows: 'u32',
  tile_columns: 'u32',
  /** Size of the image that tiles are read from, or whose results they hold. */
  height: 'u32',
  width: 'u32',
  channels: 'u32',
  /** Channels of a tile, with padding. */
  tile_channels: 'u32',
} as const;

export type TilesOptions = {
  block: Block;
  /** Tiles of an image overlap by two pixels; those of a cotangent, in a kernel's gradient, don't. */
  of: 'image' | 'cotangent';
};

export const tilesParams = { ...tileParams, pad_h: 'i32', pad_w: 'i32' } as const;

/** The function `transform_tile`: writes tiles[frequency, tile, channel] of an image, for the `i`-th tile and channel. */
export const tileFunctions = ({ block, of }: TilesOptions) => wgsl`
${placeOfTile(block)}
struct Row {
  offset: u32,
  valid: bool,
}

fn row_at(image_row: u32, row: i32, valid: bool) -> Row {
  // A negative coordinate is a large number if unsigned.
  return Row((image_row + u32(row)) * params.width, valid & (u32(row) < params.height));
}

fn value_at(row: Row, column: i32, channel: u32) -> f32 {
  let value = image[(row.offset + u32(column)) * params.channels + channel];
  return select(0.0, value, row.valid & (u32(column) < params.width));
}

fn transform_tile(i: u32) {
  let channel = i % params.tile_channels;
  let tile = i / params.tile_channels;
  let place = place_of(params.first_tile + tile);
  let first_row = i32(place.row) - params.pad_h;
  let first_column = i32(place.column) - params.pad_w;
  let image_row = place.image * params.height;
  let is_channel = channel < params.channels;
  ${repeat(of === 'image' ? tileSize(block) : block, (r) => `let line_${r} = row_at(image_row, first_row + ${r}, is_channel);`)}
  ${transformSquare(of, block, (row, column) => `value_at(line_${row}, first_column + ${column}, channel)`)}
  let stride = params.tiles * params.tile_channels;
  ${eachResult(of, block, (row, column, value) => `tiles[i + ${row * tileSize(block) + column}u * stride] = ${value};`)}
}
`;

/** tiles[frequency, tile, channel]: the transformed tiles of `image`. */
export function winogradTiles(options: TilesOptions): string {
  return wgsl`
${flatIndex}
${transformFunctions(options.block, options.of)}
${tileFunctions(options)}
${winogradEntry}
  transform_tile(i);
}
`;
}

/** The function `transform_kernel`: writes kernels[frequency, row, column], for the `i`-th row and column. */
export const kernelFunctions = (block: Block) => wgsl`
fn tap(first: i32, index: i32, valid: bool) -> f32 {
  return select(0.0, weights[first + index * params.tap_stride], valid);
}

fn transform_kernel(i: u32) {
  let row = i / params.kernel_columns;
  let column = i % params.kernel_columns;
  let valid = (row < params.used_rows) & (column < params.used_columns);
  let first = params.first_tap + i32(row) * params.row_stride + i32(column) * params.column_stride;
  ${transformSquare('kernel', block, (r, c) => `tap(first, ${3 * r + c}, valid)`)}
  ${eachResult('kernel', block, (r, c, value) => `kernels[i + ${r * tileSize(block) + c}u * params.kernel_count] = ${value};`)}
}
`;

export type KernelsOptions = { block: Block };

/** Parameters of `transform_kernel`. */
export const kernelParams = {
  /** Invocations: one for each row and column of a frequency's matrix. */
  kernel_count: 'u32',
  /** Sizes of a frequency's matrix, with padding; rows are summed over. */
  kernel_columns: 'u32',
  /** The sizes without padding. */
  used_rows: 'u32',
  used_columns: 'u32',
  /** The index of the first tap, and the distances to the next tap, row and column. */
  first_tap: 'i32',
  tap_stride: 'i32',
  row_stride: 'i32',
  column_stride: 'i32',
} as const;

export const kernelsParams = { count: 'u32', ...kernelParams } as const;

/** kernels[frequency, row, column]: the transformed kernels. */
export function winogradKernels({ block }: KernelsOptions): string {
  return wgsl`
${flatIndex}
${transformFunctions(block, 'kernel')}
${kernelFunctions(block)}
${winogradEntry}
  transform_kernel(i);
}
`;
}

export type ResultOptions = EpilogueOptions & { block: Block };

export const resultParams = { ...tileParams, alpha: 'f32' } as const;

/** The results of sums[frequency, tile, channel], with bias and activation. */
export function winogradResult(
  { block, bias, activation }: ResultOptions,
  store = 'result[at] = value;',
): string {
  const frequencies = tileSize(block);
  return wgsl`
${flatIndex}
${activationFunction(activation)}
${placeOfTile(block)}
fn store(at: u32, value: f32) {
  ${store}
}

${transformFunctions(block, 'result')}
${winogradEntry}
  let channel = i % params.channels;
  let tile = i / params.channels;
  let place = place_of(params.first_tile + tile);
  let first = tile * params.tile_channels + channel;
  let stride = params.tiles * params.tile_channels;
  ${transformSquare('result', block, (row, column) => `sums[first + ${row * frequencies + column}u * stride]`)}
#if ${bias}
  let bias = bias_values[channel];
#else
  let bias = 0.0;
#endif
  ${writeResults(block)}
}
`;
}

/** Writes the results of a tile that are in the image. */
const writeResults = (block: Block) =>
  repeat(
    block,
    (r) => `if (place.row + ${r}u < params.height) {
    let offset =
      ((place.image * params.height + place.row + ${r}u) * params.width + place.column) * params.channels + channel;
    ${repeat(
      block,
      (c) => `if (place.column + ${c}u < params.width) {
      store(offset + ${c}u * params.channels, activate(column_${c}[${r}] + bias));
    }`,
    )}
  }`,
  );

export type GradientOptions = {
  block: Block;
  /** Whether the gradient of other tiles, `before`, is added. */
  adds: boolean;
};

export const gradientParams = {
  count: 'u32',
  outputs: 'u32',
  /** The sizes of a frequency's matrix, with padding. */
  matrix_rows: 'u32',
  matrix_columns: 'u32',
} as const;

/** A kernel's gradient [3, 3, input, output], of sums[frequency, input, output]. */
export function winogradGradient({ block, adds }: GradientOptions): string {
  const frequencies = tileSize(block);
  return wgsl`
${flatIndex}
${transformFunctions(block, 'gradient')}
${winogradEntry}
  let first = i / params.outputs * params.matrix_columns + i % params.outputs;
  let stride = params.matrix_rows * params.matrix_columns;
  ${transformSquare('gradient', block, (row, column) => `sums[first + ${row * frequencies + column}u * stride]`)}
  ${eachResult('gradient', block, (row, column, value) => {
    const at = `i + ${3 * row + column}u * params.count`;
    return `gradient[${at}] = ${adds ? `before[${at}] + ` : ''}${value};`;
  })}
}
`;
}
