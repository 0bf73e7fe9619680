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
import { type BlockAxis, blockAxis, type Direction } from '../depthwise/axis.ts';
import { flatIndex } from '../lib/indexing.ts';
import { mathFunctions } from '../lib/math.ts';
import { components, each, range } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';

/** Taps, stride, and how many adjacent results an invocation computes: for an input gradient, a multiple of the stride. */
export type DirectAxis = { window: number; stride: number; results: number };

export type DirectOptions = {
  direction: Direction;
  /** Channels of the result. */
  channels: number;
  rows: DirectAxis;
  columns: DirectAxis;
  /** Vectors of four channels that are loaded at a time. */
  vectors: number;
  bias: boolean;
  /** WGSL expression of `value`; may use `params.alpha`. */
  activation: string;
};

/** Invocations of a workgroup along a row, and rows of them. */
export const directGroup = { columns: 16, rows: 4 } as const;
const invocations = directGroup.columns * directGroup.rows;

export const directParams = {
  /** Workgroups, and those of an image along each axis. */
  count: 'u32',
  group_rows: 'u32',
  group_columns: 'u32',
  /** Size of what is read, where in it the first workgroup begins, and its vectors for each pixel. */
  from_h: 'u32',
  from_w: 'u32',
  from_row: 'i32',
  from_column: 'i32',
  vectors: 'u32',
  /** The same for the result. */
  to_h: 'u32',
  to_w: 'u32',
  to_row: 'i32',
  to_column: 'i32',
  alpha: 'f32',
} as const;

const axisOf = (direction: Direction, { window, stride, results }: DirectAxis) =>
  blockAxis(direction, window, stride, results);

/** Values along an axis that a workgroup of `count` blocks reads. */
const extentOf = ({ extent, step }: BlockAxis, count: number) => extent + (count - 1) * step;

/** Pixels that a workgroup reads, the vectors of them that it keeps, and the rounds in which it loads those. */
export function directLoads({
  direction,
  rows,
  columns,
  vectors,
}: Omit<DirectOptions, 'bias' | 'activation'>) {
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
  return wgsl`
${flatIndex}
${mathFunctions(activation)}
fn activate(value: f32) -> f32 {
  return ${activation};
}

// The last vectors, one for each invocation, are never read: what lies outside the image is stored there.
var<workgroup> tile: array<vec4<f32>, ${kept + invocations}>;

@compute @workgroup_size(${invocations})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let g = flat_group(group, groups);
  if (g >= params.count) {
    return;
  }
  let group_column = g % params.group_columns;
  let group_line = g / params.group_columns;
  let group_row = group_line % params.group_rows;
  let picture = group_line / params.group_rows;
  let from_row = i32(group_row * ${directGroup.rows * down.step}u) + params.from_row;
  let from_column = i32(group_column * ${directGroup.columns * across.step}u) + params.from_column;
  ${each(
    loads,
    (i) => `var at_${i} = 0u;
  var slot_${i} = ${kept}u + local;
  {
    let unit = local + ${i * invocations}u;
    let pixel = unit / ${vectors}u;
    let row = u32(from_row + i32(pixel / ${width}u));
    let column = u32(from_column + i32(pixel % ${width}u));
    // A negative coordinate is a large unsigned one.
    if (unit < ${kept}u && row < params.from_h && column < params.from_w) {
      at_${i} = ((picture * params.from_h + row) * params.from_w + column) * params.vectors + unit % ${vectors}u;
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
  let to_row = i32((group_row * ${directGroup.rows}u + block_row) * ${rows.results}u) + params.to_row;
  let to_column = i32((group_column * ${directGroup.columns}u + block_column) * ${columns.results}u) + params.to_column;
  ${each(
    results,
    ({ y, x }) => `{
    let row = u32(to_row + ${y});
    let column = u32(to_column + ${x});
    if (row < params.to_h && column < params.to_w) {
      let to = ((picture * params.to_h + row) * params.to_w + column) * ${channels}u;
      ${each(range(channels), (c) => `result[to + ${c}u] = activate(sum_${y}_${x}_${c}${bias ? ` + bias_values[${c}]` : ''});`)}
    }
  }`,
  )}
}
`;
}
