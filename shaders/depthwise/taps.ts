/**
 * @file The filter gradient of a depthwise convolution, for common kernel sizes: an invocation iterates down a strip of the
 * image, some results wide, of one channel (or `width` channels), with the sums of all taps. It carries the rows of the
 * cotangent that later rows of the image still need, so that almost all values are read once.
 *
 * sums[part, tap, channel]; a part is a strip. A second pass adds them in order.
 */
import { flatIndex } from '../lib/indexing.ts';
import { range } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import { blockAxis, type ChannelWidth, valueType } from './axis.ts';
import { columnsExist, type ImageParams, maxLoopIterations, readRows, rowAt, rowReaders } from './rows.ts';

export type TapsOptions = {
  /** Channels that an invocation computes. */
  width: ChannelWidth;
  /** Columns of the cotangent that a strip covers. */
  columns: number;
  /** Taps and stride, along both axes. */
  window: number;
  stride: number;
};

export const tapsWorkgroup = 64;

export const tapsParams = {
  count: 'u32',
  /** In units of `width`. */
  channels: 'u32',
  /** Strips of an image, vertically and horizontally. */
  strip_rows: 'u32',
  strip_columns: 'u32',
  /** Rows of the cotangent that a strip covers. */
  iterations: 'u32',
  in_h: 'u32',
  in_w: 'u32',
  /** Rows and columns of the image that windows reach: values beyond, even NaN, must not be part of a sum. */
  seen_h: 'u32',
  seen_w: 'u32',
  out_h: 'u32',
  out_w: 'u32',
  pad_h: 'i32',
  pad_w: 'i32',
} as const;

const source: ImageParams = { height: 'in_h', width: 'in_w', rows: 'seen_h', columns: 'seen_w' };

/** Earlier rows of the cotangent that an iteration's rows of the image are multiplied by. */
const rowsBefore = ({ window, stride }: Pick<TapsOptions, 'window' | 'stride'>) =>
  Math.ceil(window / stride) - 1;

/** Values that an invocation holds: the sums of all taps, rows of the cotangent, and an iteration's rows of the image. */
export function tapsValues({ columns, window, stride }: Omit<TapsOptions, 'width'>): number {
  const { extent } = blockAxis('forward', window, stride, columns);
  return window ** 2 + (rowsBefore({ window, stride }) + 1) * columns + stride * extent;
}

export function depthwiseTaps({ width, columns: columnCount, window, stride }: TapsOptions): string {
  const across = blockAxis('forward', window, stride, columnCount);
  const before = rowsBefore({ window, stride });
  const columns = range(columnCount);
  const taps = range(window).flatMap((y) => range(window).map((x) => ({ y, x })));
  const cotangent = (earlier: number, column: number) => `cotangent_${earlier}_${column}`;
  return wgsl`
${flatIndex}
alias Value = ${valueType(width)};
${rowReaders('image', 'cotangent')}${rowAt(source)}
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
  let first_column = part % params.strip_columns * ${columnCount}u;
  let line = part / params.strip_columns;
  let first_iteration = line % params.strip_rows * params.iterations;
  let end = min(first_iteration + params.iterations, params.out_h);
  let picture = line / params.strip_rows;
  let from_column = i32(first_column) * ${stride} - params.pad_w;
  ${columns.map((x) => `let is_cotangent_${x} = first_column + ${x}u < params.out_w;`).join('\n  ')}
  ${columnsExist(across.extent, source)}
  ${taps.map(({ y, x }) => `var sum_${y}_${x} = Value();`).join('\n  ')}
  ${range(before)
    .flatMap((earlier) => columns.map((x) => `var ${cotangent(earlier + 1, x)} = Value();`))
    .join('\n  ')}
  let iterations = end + ${before}u - first_iteration;
  for (var iteration = 0u; iteration < ${maxLoopIterations}u; iteration++) {
    if (iteration >= iterations) {
      break;
    }
    let row = first_iteration + iteration;
    let cotangent_pixel = (picture * params.out_h + row) * params.out_w + first_column;
    let cotangent_row = Row(cotangent_pixel * params.channels + channel, row < end);
    ${columns.map((x) => `let ${cotangent(0, x)} = cotangent_at(cotangent_row, ${x}u * params.channels, is_cotangent_${x});`).join('\n    ')}
    let from_row = i32(row) * ${stride} - params.pad_h;
    ${readRows('image', stride, across.extent)}
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
