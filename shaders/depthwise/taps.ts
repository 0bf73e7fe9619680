/**
 * @file The gradient of a depthwise convolution's usual kernels, for CPU adapters: an invocation goes down a strip of the
 * image, four results wide, of one channel (of four, where `width` is 4), with the sums of all taps. It carries the rows of
 * the cotangent that later rows of the image are still multiplied by, so that almost all values are read once.
 *
 * sums[part, tap, channel]; a part is a strip. A second pass adds them in order.
 */
import { flatIndex } from '../lib/indexing.ts';
import { range } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import { blockAxis } from './axis.ts';

export type TapsOptions = {
  /** Channels that an invocation computes. */
  width: 1 | 4;
  /** Taps and stride, along both axes. */
  window: number;
  stride: number;
};

export const tapsWorkgroup = 64;
/** Columns of the cotangent that a strip covers. */
export const tapsColumns = 4;

export const tapsParams = {
  count: 'u32',
  /** In units of `width`. */
  channels: 'u32',
  /** Strips of an image, vertically and horizontally. */
  strip_rows: 'u32',
  strip_columns: 'u32',
  /** Rows of the cotangent that a strip covers. */
  turns: 'u32',
  in_h: 'u32',
  in_w: 'u32',
  /** Rows and columns of the image that windows reach: what lies behind them, even NaN, is no part of a sum. */
  seen_h: 'u32',
  seen_w: 'u32',
  out_h: 'u32',
  out_w: 'u32',
  pad_h: 'i32',
  pad_w: 'i32',
} as const;

export function depthwiseTaps({ width, window, stride }: TapsOptions): string {
  const across = blockAxis('forward', window, stride, tapsColumns);
  /** Rows of the cotangent before a turn's own that its rows of the image are multiplied by. */
  const before = Math.ceil(window / stride) - 1;
  const columns = range(tapsColumns);
  const taps = range(window).flatMap((y) => range(window).map((x) => ({ y, x })));
  const cotangent = (earlier: number, column: number) => `cotangent_${earlier}_${column}`;
  return wgsl`
${flatIndex}
alias Value = ${width === 4 ? 'vec4<f32>' : 'f32'};

struct Row {
  offset: u32,
  valid: bool,
}

fn image_row(first: u32, row: i32) -> Row {
  // A negative coordinate is a large unsigned one.
  return Row((first + u32(row)) * params.in_w, u32(row) < params.seen_h);
}

fn image_at(row: Row, column: i32, channel: u32) -> Value {
  let value = image[(row.offset + u32(column)) * params.channels + channel];
  return select(Value(), value, row.valid & (u32(column) < params.seen_w));
}

fn cotangent_at(row: Row, column: u32, channel: u32) -> Value {
  let value = cotangent[(row.offset + column) * params.channels + channel];
  return select(Value(), value, row.valid & (column < params.out_w));
}

@compute @workgroup_size(${tapsWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${tapsWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let channel = i % params.channels;
  let part = i / params.channels;
  let first_column = part % params.strip_columns * ${tapsColumns}u;
  let line = part / params.strip_columns;
  let first_turn = line % params.strip_rows * params.turns;
  let end = min(first_turn + params.turns, params.out_h);
  let picture = line / params.strip_rows;
  let from_column = i32(first_column) * ${stride} - params.pad_w;
  ${taps.map(({ y, x }) => `var sum_${y}_${x} = Value();`).join('\n  ')}
  ${range(before)
    .flatMap((earlier) => columns.map((x) => `var ${cotangent(earlier + 1, x)} = Value();`))
    .join('\n  ')}
  for (var row = first_turn; row < end + ${before}u; row++) {
    let cotangent_row = Row((picture * params.out_h + row) * params.out_w, row < end);
    ${columns.map((x) => `let ${cotangent(0, x)} = cotangent_at(cotangent_row, first_column + ${x}u, channel);`).join('\n    ')}
    let from_row = i32(row) * ${stride} - params.pad_h;
    ${range(stride)
      .flatMap((line) => [
        `let row_${line} = image_row(picture * params.in_h, from_row + ${line});`,
        ...range(across.extent).map(
          (x) => `let value_${line}_${x} = image_at(row_${line}, from_column + ${x}, channel);`,
        ),
      ])
      .join('\n    ')}
    ${taps
      .map(
        ({ y, x }) =>
          `sum_${y}_${x} = sum_${y}_${x} + ${columns
            .map(
              (column) =>
                `value_${y % stride}_${column * stride + x} * ${cotangent(Math.floor(y / stride), column)}`,
            )
            .join(' + ')};`,
      )
      .join('\n    ')}
    ${range(before)
      .reverse()
      .flatMap((earlier) => columns.map((x) => `${cotangent(earlier + 1, x)} = ${cotangent(earlier, x)};`))
      .join('\n    ')}
  }
  let first = part * ${window * window}u;
  ${taps
    .map(({ y, x }) => `sums[(first + ${y * window + x}u) * params.channels + channel] = sum_${y}_${x};`)
    .join('\n  ')}
}
`;
}
