/**
 * @file Depthwise convolutions and their input gradients, for CPU adapters and the usual kernels: an invocation goes down a
 * strip, some columns wide, of one channel (of four, where `width` is 4). It reads each row once, and carries the sums of
 * the results that it has begun on, so that almost all values are read once: reads are what a CPU adapter's time goes into.
 *
 * Rows come in turns: a turn reads `step` of them and ends `rows` of the result. Results that later turns end are `begun`.
 */
import { flatIndex } from '../lib/indexing.ts';
import { wgsl } from '../lib/wgsl.ts';
import { range } from '../lib/text.ts';
import { blockAxis, type Direction } from './axis.ts';

export type StripOptions = {
  direction: Direction;
  /** Channels that an invocation computes. */
  width: 1 | 4;
  /** Taps and stride, along both axes. */
  window: number;
  stride: number;
};

export const stripWorkgroup = 64;

export const stripParams = {
  count: 'u32',
  /** In units of `width`. */
  channels: 'u32',
  /** Strips of an image, vertically and horizontally. */
  strip_rows: 'u32',
  strip_columns: 'u32',
  /** Turns of a strip that end results. */
  turns: 'u32',
  /** Size of what is read, and where in it the first strip begins. */
  from_h: 'u32',
  from_w: 'u32',
  from_row: 'i32',
  from_column: 'i32',
  /** The same of the result. */
  to_h: 'u32',
  to_w: 'u32',
  to_row: 'i32',
  to_column: 'i32',
} as const;

/** Rows of the result that a turn ends, and columns of a strip. */
export function stripSize(direction: Direction, stride: number): { rows: number; columns: number } {
  return direction === 'forward' ? { rows: 1, columns: 4 } : { rows: stride, columns: 4 * stride };
}

/** Turns before the first that ends results. */
export function turnsBefore({ direction, window, stride }: StripOptions): number {
  const { extent, step } = blockAxis(direction, window, stride, stripSize(direction, stride).rows);
  return Math.ceil(extent / step) - 1;
}

export function depthwiseStrips(options: StripOptions): string {
  const { direction, width, window, stride } = options;
  const size = stripSize(direction, stride);
  const down = blockAxis(direction, window, stride, size.rows);
  const across = blockAxis(direction, window, stride, size.columns);
  const before = turnsBefore(options);
  const rows = range(size.rows);
  const columns = range(size.columns);
  /** What a turn adds to a result that is ended `later` turns later. */
  const share = (later: number, row: number, column: number) =>
    range(down.step).flatMap((line) =>
      (down.terms[row] ?? [])
        .filter(({ value }) => value === (before - later) * down.step + line)
        .flatMap((y) =>
          (across.terms[column] ?? []).map((x) => `value_${line}_${x.value} * weight_${y.tap}_${x.tap}`),
        ),
    );
  const begun = (later: number, row: number, column: number) => `begun_${later}_${row}_${column}`;
  /** One term after another, which GPUs compute by fused multiply-adds alone. */
  const total = (later: number, row: number, column: number) =>
    [...(later < before ? [begun(later, row, column)] : []), ...share(later, row, column)].join(' + ') ||
    'Value()';
  const everyResult = (line: (row: number, column: number) => string) =>
    rows.flatMap((row) => columns.map((column) => line(row, column))).join('\n      ');
  return wgsl`
${flatIndex}
alias Value = ${width === 4 ? 'vec4<f32>' : 'f32'};

struct Row {
  offset: u32,
  valid: bool,
}

fn row_at(first: u32, row: i32) -> Row {
  // A negative coordinate is a large unsigned one.
  return Row((first + u32(row)) * params.from_w, u32(row) < params.from_h);
}

fn value_at(row: Row, column: i32, channel: u32) -> Value {
  let value = values[(row.offset + u32(column)) * params.channels + channel];
  return select(Value(), value, row.valid & (u32(column) < params.from_w));
}

@compute @workgroup_size(${stripWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${stripWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let channel = i % params.channels;
  let place = i / params.channels;
  let strip_column = i32(place % params.strip_columns);
  let line = place / params.strip_columns;
  let first_turn = i32(line % params.strip_rows * params.turns);
  let picture = line / params.strip_rows;
  let from_column = strip_column * ${across.step} + params.from_column;
  let to_column = strip_column * ${size.columns} + params.to_column;
  ${range(window * window)
    .map(
      (tap) =>
        `let weight_${Math.floor(tap / window)}_${tap % window} = weights[${tap}u * params.channels + channel];`,
    )
    .join('\n  ')}
  ${range(before)
    .map((later) => everyResult((row, column) => `var ${begun(later, row, column)} = Value();`))
    .join('\n  ')}
  for (var turn = 0; turn < i32(params.turns) + ${before}; turn++) {
    let from_row = (first_turn + turn) * ${down.step} + params.from_row;
    ${range(down.step)
      .flatMap((line) => [
        `let row_${line} = row_at(picture * params.from_h, from_row + ${line});`,
        ...range(across.extent).map(
          (x) => `let value_${line}_${x} = value_at(row_${line}, from_column + ${x}, channel);`,
        ),
      ])
      .join('\n    ')}
    let to_row = (first_turn + turn - ${before}) * ${size.rows} + params.to_row;
    ${rows
      .map(
        (row) => `{
      let is_row = (turn >= ${before}) & (u32(to_row + ${row}) < params.to_h);
      let to_line = (picture * params.to_h + u32(to_row + ${row})) * params.to_w;
${columns
  .map(
    (column) => `      if (is_row & (u32(to_column + ${column}) < params.to_w)) {
        result[(to_line + u32(to_column + ${column})) * params.channels + channel] = ${total(0, row, column)};
      }`,
  )
  .join('\n')}
    }`,
      )
      .join('\n    ')}
    ${range(before)
      .map((later) =>
        everyResult((row, column) => `${begun(later, row, column)} = ${total(later + 1, row, column)};`),
      )
      .join('\n    ')}
  }
}
`;
}
