/**
 * @file The gradient of a convolution's kernel, for images with few channels. In a GEMM, each element of a window has an index,
 * two conditions and a selection. Here a workgroup copies the part of the image that the windows of a rectangle of pixels cover to
 * workgroup memory, with zeros for the padding, and multiplies it by the cotangents of that rectangle; then the next rectangle.
 *
 * An invocation has the sums of a row of the kernel for a vector of filters, and multiplies four adjacent pixels of a row at a
 * time. Cotangents are read from storage, those of the next row while a row is multiplied. Invocations that differ only in their
 * pixels add their sums at the end. The window is part of the program, so that all offsets in workgroup memory are constants.
 */
import { components, each, range } from '../lib/text.ts';
import { adjacentPixels, type PatchAxis, readRow, rowElement, rowVectors } from './imageRow.ts';
import { rectangleParams, rectangleProgram } from './rectangles.ts';

export type PatchFilterGradShape = {
  direction: 'filterGrad';
  /** Channels of the image. */
  channels: number;
  rows: PatchAxis;
  columns: PatchAxis;
  /** Filters of a vector. */
  width: 2 | 4;
  /** Invocations along the filters, in vectors; along the rows of the kernel, of which there are all or one; along a row of pixels. */
  filterLanes: number;
  rowLanes: number;
  pixelLanes: number;
  /** Rows of a rectangle. */
  height: number;
  /** Whether pixels remain that don't fill a rectangle. */
  edges: boolean;
};

export const patchFilterGradParams = {
  ...rectangleParams,
  /** Workgroups that share pixels and rows of the kernel. */
  group_filters: 'u32',
  /** Filters, in vectors. */
  filters: 'u32',
  /** Rectangles, and the parts among which they are distributed. */
  rectangles: 'u32',
  parts: 'u32',
} as const;

/** Rows and columns of pixels of a rectangle. */
export const filterGradSize = ({ height, pixelLanes }: PatchFilterGradShape) => ({
  rows: height,
  columns: pixelLanes * adjacentPixels,
});

export const filterGradInvocations = (options: PatchFilterGradShape) =>
  options.filterLanes * options.rowLanes * options.pixelLanes;

/** Workgroups that share pixels and filters, each with other rows of the kernel. */
export const rowGroups = ({ rows, rowLanes }: PatchFilterGradShape) => rows.window / rowLanes;

/** The part of the image that a workgroup copies: rows of `stride` vectors, and how they lie in the image. */
function memory(options: PatchFilterGradShape) {
  const { channels, rows, columns, rowLanes, pixelLanes, height } = options;
  const covered = (pixelLanes * adjacentPixels - 1) * columns.stride + columns.window;
  // The last invocation of a row reads whole vectors, too.
  const stride = Math.max(
    Math.ceil((covered * channels) / 4),
    (pixelLanes - 1) * columns.stride * channels + rowVectors(options),
  );
  // For one row of the kernel, only every row of the stride is copied.
  const lines = rowLanes === 1 ? height : (height - 1) * rows.stride + rows.window;
  return {
    stride,
    image: lines * stride,
    imageStep: rowLanes === 1 ? rows.stride : 1,
    lineStep: rowLanes === 1 ? 1 : rows.stride,
  };
}

/** Vectors of workgroup memory: the image, and at the end at least one sum of each invocation. */
const vectorsOfMemory = (options: PatchFilterGradShape) =>
  Math.max(memory(options).image, filterGradInvocations(options));

export const filterGradBytes = (options: PatchFilterGradShape) => 16 * vectorsOfMemory(options);

/** Vectors of the image that an invocation copies for a rectangle. */
export const filterGradLoads = (options: PatchFilterGradShape) =>
  Math.ceil(memory(options).image / filterGradInvocations(options));

export function patchFilterGrad(options: PatchFilterGradShape): string {
  const { channels, rows, columns, width, filterLanes, rowLanes, pixelLanes, height, edges } = options;
  const size = filterGradSize(options);
  const invocations = filterGradInvocations(options);
  const { stride, image, imageStep, lineStep } = memory(options);
  const steps = columns.window * channels;
  const pixelStep = columns.stride * channels;
  const groups = rowGroups(options);
  const loads = range(filterGradLoads(options));
  const vector = `vec${width}<f32>`;
  const eachPixel = (line: (pixel: number) => string) => each(range(adjacentPixels), line);
  const loadCotangents = eachPixel(
    (pixel) => `cotangent_${pixel} = cotangents[at + ${pixel}u * params.filters];`,
  );
  const loadImage = (rectangle: string) =>
    each(
      loads,
      (i) => `{
    let at = position_of(local + ${i * invocations}u, ${rectangle}, tap_row);
    loaded_${i} = vec4<f32>(image[at.start], image[at.start + 1u], image[at.start + 2u], image[at.start + 3u]);
  }`,
    );
  const storeImage = (rectangle: string) =>
    each(
      loads,
      (i) => `{
    let at = position_of(local + ${i * invocations}u, ${rectangle}, tap_row);
    image_tile[at.unit] = vec4<f32>(
      ${components.map((c, j) => `select(0.0, loaded_${i}.${c}, at.is_row & (at.column + ${j}u < params.from_w * ${channels}u)),`).join('\n')}
    );
  }`,
    );
  const whole = `for (var row = 0u; row < ${height}u; row++) {
      at = select(at + line, next_at, row == ${height - 1}u);
      ${readRow(options, `first + row * ${lineStep * stride}u`)}
      ${eachPixel(
        (
          pixel,
        ) => `${each(range(steps), (k) => `sum_${k} += ${rowElement(options, pixel, k)} * cotangent_${pixel};`)}
      cotangent_${pixel} = cotangents[at + ${pixel}u * params.filters];`,
      )}
    }`;
  const withEdges = `let column = rectangle.to_column + pixel_lane * ${adjacentPixels}u;
    if (rectangle.to_row + ${height}u <= params.to_h && column + ${adjacentPixels}u <= params.to_w) {
      ${whole}
    } else {
      let rows = min(${height}u, params.to_h - rectangle.to_row);
      let columns = min(${adjacentPixels}u, max(column, params.to_w) - column);
      for (var row = 0u; row < rows; row++) {
        for (var pixel = 0u; pixel < columns; pixel++) {
          let cotangent = cotangents[at + row * line + pixel * params.filters];
          let start = (first + row * ${lineStep * stride}u) * 4u + pixel * ${pixelStep}u;
          ${each(range(steps), (k) => `sum_${k} += image_tile[(start + ${k}u) / 4u][(start + ${k}u) % 4u] * cotangent;`)}
        }
      }
      at = next_at;
      ${loadCotangents}
    }`;
  const perLane = filterLanes * rowLanes;
  const atOnce = Math.min(steps, Math.floor(vectorsOfMemory(options) / invocations));
  const addSums = (from: number) => {
    const count = Math.min(atOnce, steps - from);
    return `workgroupBarrier();
  ${each(range(count), (i) => `image_tile[local + ${i * invocations}u] = ${width === 4 ? `sum_${from + i}` : `vec4<f32>(sum_${from + i}, vec2<f32>())`};`)}
  workgroupBarrier();
  for (var unit = local; unit < ${count * perLane}u; unit += ${invocations}u) {
    let step = unit / ${perLane}u;
    let lane = unit % ${perLane}u;
    var sum = ${vector}();
    for (var i = 0u; i < ${pixelLanes}u; i++) {
      sum += image_tile[step * ${invocations}u + i * ${perLane}u + lane]${width === 4 ? '' : '.xy'};
    }
    let filter_of_lane = first_filter + lane % ${filterLanes}u;
    if (filter_of_lane < params.filters) {
      let row = part * ${rows.window}u + tap_row + lane / ${filterLanes}u;
      result[(row * ${steps}u + ${from}u + step) * params.filters + filter_of_lane] = sum;
    }
  }`;
  };
  return rectangleProgram({
    invocations,
    size,
    step: { rows: size.rows * rows.stride, columns: size.columns * columns.stride },
    activation: 'value',
    declarations: `
var<workgroup> image_tile: array<vec4<f32>, ${vectorsOfMemory(options)}>;

// A vector of the tile, and where it is in the image.
struct Position {
  unit: u32,
  start: u32,
  // The element of the image's row; a negative one is a large unsigned one.
  column: u32,
  is_row: bool,
}

fn position_of(index: u32, rectangle: Rectangle, tap_row: u32) -> Position {
  let unit = min(index, ${image - 1}u);
  let row = u32(rectangle.from_row + i32(unit / ${stride}u * ${imageStep}u + tap_row));
  let column = u32(rectangle.from_column * ${channels} + i32(unit % ${stride}u * 4u));
  let start = (rectangle.picture * params.from_h + row) * params.from_w * ${channels}u + column;
  return Position(unit, start, column, row < params.from_h);
}

fn cotangent_at(rectangle: Rectangle, pixel_lane: u32, filter_at: u32) -> u32 {
  let row = rectangle.picture * params.to_h + rectangle.to_row;
  let column = rectangle.to_column + pixel_lane * ${adjacentPixels}u;
  return (row * params.to_w + column) * params.filters + filter_at;
}`,
    body: `
  let first_filter = g % params.group_filters * ${filterLanes}u;
  let tap_row = g / params.group_filters % ${groups}u;
  let part = g / params.group_filters / ${groups}u;
  let filter_lane = local % ${filterLanes}u;
  let row_lane = local / ${filterLanes}u % ${rowLanes}u;
  let pixel_lane = local / ${perLane}u;
  let filter_at = min(first_filter + filter_lane, params.filters - 1u);
  let first = row_lane * ${stride}u + pixel_lane * ${pixelStep}u;
  let line = params.to_w * params.filters;
  ${each(range(steps), (k) => `var sum_${k} = ${vector}();`)}
  ${each(loads, (i) => `var loaded_${i} = vec4<f32>();`)}
  ${eachPixel((pixel) => `var cotangent_${pixel} = ${vector}();`)}
  var rectangle = rectangle_at(part);
  var at = cotangent_at(rectangle, pixel_lane, filter_at);
  ${loadImage('rectangle')}
  ${loadCotangents}
  ${storeImage('rectangle')}
  workgroupBarrier();
  for (var i = part; i < params.rectangles; i += params.parts) {
    let next = rectangle_at(min(i + params.parts, params.rectangles - 1u));
    let next_at = cotangent_at(next, pixel_lane, filter_at);
    ${loadImage('next')}
    ${edges ? withEdges : whole}
    workgroupBarrier();
    ${storeImage('next')}
    workgroupBarrier();
    rectangle = next;
  }
  ${range(Math.ceil(steps / atOnce))
    .map((i) => addSums(i * atOnce))
    .join('\n')}`,
  });
}
