/**
 * @file Convolutions of images with few channels: their elements don't come in fours, so that a GEMM would work out an index and
 * conditions for each element of each window. Here a workgroup copies the part of the image that its windows cover to workgroup
 * memory, once, with zeros for the padding.
 *
 * A workgroup computes a rectangle of pixels and some filters, an invocation four adjacent pixels of a row and one or two vectors
 * of four filters. It sums row by row of the kernel, whose weights are loaded while the row before is multiplied. The window is
 * part of the program, so that all offsets in workgroup memory are constants.
 */
import type { EpilogueOptions } from '../lib/epilogue.ts';
import { components, each, range } from '../lib/text.ts';
import { adjacentPixels as pixels, type PatchAxis, readRow, rowElement, rowVectors } from './imageRow.ts';
import { rectangleParams, rectangleProgram } from './rectangles.ts';

export type PatchShape = {
  /** Channels of the image. */
  channels: number;
  rows: PatchAxis;
  columns: PatchAxis;
  /** Invocations that share a pixel, and vectors of four filters that each of them computes. */
  filterLanes: number;
  vectors: number;
};

export type PatchOptions = PatchShape & EpilogueOptions;

/** Invocations along a row, and invocations of a workgroup. */
const lanes = 4;
const invocations = 128;

export const patchParams = {
  ...rectangleParams,
  /** Workgroups that share pixels. */
  group_filters: 'u32',
  /** Filters, in fours. */
  filters: 'u32',
} as const;

/** What a workgroup computes: rows and columns of the result, and filters in fours. */
export function patchSize({ filterLanes, vectors }: Pick<PatchShape, 'filterLanes' | 'vectors'>) {
  return {
    rows: invocations / filterLanes / lanes,
    columns: lanes * pixels,
    filters: filterLanes * vectors,
  };
}

/** Vectors of the part of the image that a workgroup copies, and of a row of the kernel. */
function memory(options: PatchShape) {
  const { channels, rows, columns } = options;
  const size = patchSize(options);
  const perRow = Math.ceil((((size.columns - 1) * columns.stride + columns.window) * channels) / 4);
  // The last invocation of a row reads whole vectors, too.
  const stride = Math.max(perRow, (lanes - 1) * columns.stride * channels + rowVectors(options));
  const height = (size.rows - 1) * rows.stride + rows.window;
  return { stride, image: height * stride, weights: columns.window * channels * size.filters };
}

export function patchBytes(options: PatchShape): number {
  const { image, weights } = memory(options);
  return 16 * (image + weights);
}

export function patchConvolution(options: PatchOptions): string {
  const { channels, rows, columns, filterLanes, vectors, bias, activation } = options;
  const size = patchSize(options);
  const { stride, image, weights } = memory(options);
  const steps = columns.window * channels;
  const filterVectors = range(vectors);
  const imageRounds = range(Math.ceil(image / invocations));
  const weightRounds = range(Math.ceil(weights / invocations));
  const eachSum = (line: (pixel: number, vector: number) => string) =>
    each(range(pixels), (pixel) => each(filterVectors, (vector) => line(pixel, vector)));
  const loadWeights = (row: string) =>
    each(weightRounds, (i) => `loaded_${i} = weights[weight_at_${i} + ${row} * ${steps}u * params.filters];`);
  const storeWeights = each(
    weightRounds,
    (i) => `weight_tile[min(local + ${i * invocations}u, ${weights - 1}u)] = loaded_${i};`,
  );
  const biasOf = `let bias = vec4<f32>(
    ${range(4)
      .map((i) => `bias_values[filter_at * 4u + ${i}u],`)
      .join('\n')}
  );`;
  return rectangleProgram({
    invocations,
    size,
    step: { rows: size.rows * rows.stride, columns: size.columns * columns.stride },
    activation,
    declarations: `
var<workgroup> image_tile: array<vec4<f32>, ${image}>;
var<workgroup> weight_tile: array<vec4<f32>, ${weights}>;

// An element of a row of the image; zero outside of it. A negative position is a large unsigned one.
fn element_at(row_start: u32, position: u32, is_row: bool) -> f32 {
  return select(0.0, image[row_start + position], is_row & (position < params.from_w * ${channels}u));
}`,
    body: `
  let first_filter = g % params.group_filters * ${size.filters}u;
  let rectangle = rectangle_at(g / params.group_filters);
  let from_position = rectangle.from_column * ${channels};
  ${each(
    weightRounds,
    (i) => `var weight_at_${i} = 0u;
  {
    let unit = min(local + ${i * invocations}u, ${weights - 1}u);
    let filter_at = min(first_filter + unit % ${size.filters}u, params.filters - 1u);
    weight_at_${i} = unit / ${size.filters}u * params.filters + filter_at;
  }`,
  )}
  ${each(weightRounds, (i) => `var loaded_${i} = weights[weight_at_${i}];`)}
  ${each(
    imageRounds,
    (i) => `{
    let unit = min(local + ${i * invocations}u, ${image - 1}u);
    let row = u32(rectangle.from_row + i32(unit / ${stride}u));
    let is_row = row < params.from_h;
    let row_start = (rectangle.picture * params.from_h + row) * params.from_w * ${channels}u;
    let position = u32(from_position + i32(unit % ${stride}u * 4u));
    image_tile[unit] = vec4<f32>(
      element_at(row_start, position, is_row),
      element_at(row_start, position + 1u, is_row),
      element_at(row_start, position + 2u, is_row),
      element_at(row_start, position + 3u, is_row),
    );
  }`,
  )}
  ${storeWeights}
  let filter_lane = local % ${filterLanes}u;
  let pixel_lane = local / ${filterLanes}u;
  let block_row = pixel_lane / ${lanes}u;
  let block_column = pixel_lane % ${lanes}u;
  let first = block_row * ${rows.stride * stride}u + block_column * ${columns.stride * channels}u;
  ${eachSum((pixel, vector) => `var sum_${pixel}_${vector} = vec4<f32>();`)}
  for (var row = 0u; row < ${rows.window}u; row++) {
    workgroupBarrier();
    let next = min(row + 1u, ${rows.window - 1}u);
    ${loadWeights('next')}
    ${readRow(options, `first + row * ${stride}u`)}
    ${each(range(steps), (k) =>
      each(
        filterVectors,
        (vector) => `{
      let filters = weight_tile[filter_lane + ${k * size.filters + vector * filterLanes}u];
      ${each(range(pixels), (pixel) => `sum_${pixel}_${vector} += ${rowElement(options, pixel, k)} * filters;`)}
    }`,
      ),
    )}
    workgroupBarrier();
    ${storeWeights}
  }
  let to_row = rectangle.to_row + block_row;
  let to_column = rectangle.to_column + block_column * ${pixels}u;
  let to_line = (rectangle.picture * params.to_h + to_row) * params.to_w;
  ${each(
    filterVectors,
    (vector) => `{
    let filter_at = first_filter + filter_lane + ${vector * filterLanes}u;
    if (to_row < params.to_h && filter_at < params.filters) {
      ${bias ? biasOf : ''}
      ${each(
        range(pixels),
        (pixel) => `if (to_column + ${pixel}u < params.to_w) {
        let value = sum_${pixel}_${vector}${bias ? ' + bias' : ''};
        result[(to_line + to_column + ${pixel}u) * params.filters + filter_at] = vec4<f32>(
          ${components.map((c) => `activate(value.${c}),`).join('\n')}
        );
      }`,
      )}
    }
  }`,
  )}`,
  });
}
