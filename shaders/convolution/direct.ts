/**
 * @file Convolutions whose result has few channels, and input gradients of images with few channels: each result is summed
 * directly, where the columns of a GEMM would be mostly padding.
 *
 * A workgroup computes a rectangle of pixels, an invocation a block of some rows with all their channels. The values that they
 * share come through workgroup memory, some vectors of four channels at a time; the next ones are loaded while these are
 * multiplied. All invocations multiply by the same weights at the same time, which a GPU reads into scalar registers, or once for
 * all lanes.
 *
 * The window is part of the program, so that all offsets in workgroup memory are constants (../depthwise/axis.ts).
 */
import { type BlockAxis, type BlockSize, blockAxis, type Direction } from '../depthwise/axis.ts';
import type { EpilogueOptions } from '../lib/epilogue.ts';
import { components, each, range } from '../lib/text.ts';
import { rectangleParams, rectangleProgram } from './rectangles.ts';

/** Taps, stride, and a block of the adjacent results that an invocation computes (../depthwise/axis.ts). */
export type DirectAxis = { window: number; stride: number; results: number; phase: number };

export type DirectShape = {
  direction: Direction;
  /** Channels of the result. */
  channels: number;
  rows: DirectAxis;
  columns: DirectAxis;
  /** Vectors of four channels that are loaded at a time. */
  vectors: number;
};

export type DirectOptions = DirectShape & EpilogueOptions;

/** Invocations of a workgroup along a row, and rows of them. */
const directGroup = { columns: 16, rows: 4 } as const;
const invocations = directGroup.columns * directGroup.rows;

export const directParams = {
  ...rectangleParams,
  /** Vectors of each pixel that is read. */
  vectors: 'u32',
} as const;

const axisOf = (direction: Direction, { window, stride, results, phase }: DirectAxis) =>
  blockAxis(direction, window, stride, results, phase);

/** Values along an axis that a workgroup of `count` blocks reads. */
const extentOf = ({ extent, step }: BlockAxis, count: number) => extent + (count - 1) * step;

/** Rows and columns of the result that a workgroup computes. */
export const directSize = ({ rows, columns }: Pick<DirectShape, 'rows' | 'columns'>): BlockSize => ({
  rows: directGroup.rows * rows.results,
  columns: directGroup.columns * columns.results,
});

/** Pixels that a workgroup reads, the vectors of them that it keeps, and the rounds in which it loads those. */
export function directLoads({ direction, rows, columns, vectors }: DirectShape) {
  const height = extentOf(axisOf(direction, rows), directGroup.rows);
  const width = extentOf(axisOf(direction, columns), directGroup.columns);
  const kept = height * width * vectors;
  return {
    width,
    pixels: height * width,
    kept,
    rounds: Math.ceil(kept / invocations),
    bytes: 16 * (kept + invocations),
  };
}

export function directConvolution(options: DirectOptions): string {
  const { direction, channels, rows, columns, vectors, bias, activation } = options;
  const [down, across] = [axisOf(direction, rows), axisOf(direction, columns)];
  const { width, pixels, kept, rounds } = directLoads(options);
  const size = directSize(options);
  const loads = range(rounds);
  const results = range(rows.results).flatMap((y) => range(columns.results).map((x) => ({ y, x })));
  const sums = results.flatMap(({ y, x }) =>
    range(channels).map((c) => ({ y, x, c, name: `sum_${y}_${x}_${c}` })),
  );
  const load = (chunk: string) =>
    each(loads, (i) => `loaded_${i} = values[at_${i} + ${chunk} * ${vectors}u];`);
  const store = each(loads, (i) => `tile[slot_${i}] = loaded_${i};`);
  /**
   * The weights of a tap and a channel for four channels of what is read. Their indices are sums of what depends on the row, and of
   * what doesn't: with a product for each tap, compilers would keep more products than there are scalar registers.
   */
  const weightsOf = (row: number, column: number, c: number) =>
    range(4).map((part) =>
      direction === 'inputGrad'
        ? `weights[weights_${row} + ${column * channels + c}u * params.vectors].${components[part]}`
        : `weights[(weights_${row} + ${column}u * params.vectors) * ${4 * channels}u + ${part * channels + c}u]`,
    );
  const weightRow = (row: number) => {
    const before = row * columns.window * (direction === 'inputGrad' ? channels : 1);
    return `let weights_${row} = at + ${before}u * params.vectors;`;
  };
  /** What the value at row `y` and column `x` of a block contributes to, by which weight. */
  const uses = (y: number, x: number) =>
    sums.flatMap((sum) =>
      (down.terms[sum.y] ?? [])
        .filter(({ value }) => value === y)
        .flatMap((row) =>
          (across.terms[sum.x] ?? [])
            .filter(({ value }) => value === x)
            .map((column) => ({ sum: sum.name, weight: weightsOf(row.tap, column.tap, sum.c) })),
        ),
    );
  const multiply = (vector: number) =>
    each(range(across.extent), (x) =>
      each(range(down.extent), (y) => {
        const products = uses(y, x).map(({ sum, weight }) =>
          each(weight, (each, part) => `${sum} += value.${components[part]} * ${each};`),
        );
        return `{
      let value = tile[first + ${vector * pixels + y * width + x}u];
      ${products.join('\n')}
    }`;
      }),
    );
  return rectangleProgram({
    invocations,
    size,
    step: { rows: directGroup.rows * down.step, columns: directGroup.columns * across.step },
    activation,
    declarations: `
// The last vectors, one for each invocation, are never read: what lies outside the image is stored there.
var<workgroup> tile: array<vec4<f32>, ${kept + invocations}>;`,
    body: `
  let rectangle = rectangle_at(g);
  ${each(
    loads,
    (i) => `var at_${i} = 0u;
  var slot_${i} = ${kept}u + local;
  {
    let unit = local + ${i * invocations}u;
    let pixel = unit / ${vectors}u;
    let row = u32(rectangle.from_row + i32(pixel / ${width}u));
    let column = u32(rectangle.from_column + i32(pixel % ${width}u));
    // A negative coordinate is a large unsigned one.
    if (unit < ${kept}u && row < params.from_h && column < params.from_w) {
      at_${i} = ((rectangle.picture * params.from_h + row) * params.from_w + column) * params.vectors + unit % ${vectors}u;
      slot_${i} = unit % ${vectors}u * ${pixels}u + pixel;
    }
  }`,
  )}
  for (var i = local; i < ${kept}u; i += ${invocations}u) {
    tile[i] = vec4<f32>();
  }
  workgroupBarrier();
  ${each(loads, (i) => `var loaded_${i} = values[at_${i}];`)}
  ${store}
  let block_row = local / ${directGroup.columns}u;
  let block_column = local % ${directGroup.columns}u;
  let first = block_row * ${down.step * width}u + block_column * ${across.step}u;
  ${each(sums, ({ name }) => `var ${name} = 0.0;`)}
  let chunks = params.vectors / ${vectors}u;
  for (var chunk = 0u; chunk < chunks; chunk++) {
    workgroupBarrier();
    let next = min(chunk + 1u, chunks - 1u);
    ${load('next')}
    ${each(
      range(vectors),
      (vector) => `{
      let at = chunk * ${vectors}u + ${vector}u;
      ${each(range(rows.window), weightRow)}
      ${multiply(vector)}
    }`,
    )}
    workgroupBarrier();
    ${store}
  }
  let to_row = rectangle.to_row + block_row * ${rows.results}u;
  let to_column = rectangle.to_column + block_column * ${columns.results}u;
  ${each(
    results,
    ({ y, x }) => `{
    let row = to_row + ${y}u;
    let column = to_column + ${x}u;
    if (row < params.to_h && column < params.to_w) {
      let to = ((rectangle.picture * params.to_h + row) * params.to_w + column) * ${channels}u;
      ${each(range(channels), (c) => `result[to + ${c}u] = activate(sum_${y}_${x}_${c}${bias ? ` + bias_values[${c}]` : ''});`)}
    }
  }`,
  )}`,
  });
}
