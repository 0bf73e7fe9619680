/**
 * @file Depthwise convolutions and their input gradients, for common kernel sizes: an invocation iterates down a strip, some
 * columns wide, of one channel (or `width` channels). It reads each row once, and carries the sums of the results it has
 * begun, so that almost all values are read once: a CPU adapter spends most of its time on reads.
 *
 * Each iteration reads `step` rows and completes `rows` rows of the result. Results completed by later iterations are `begun`.
 *
 * Where that leaves a GPU too few invocations, each computes a block of some rows instead, without a loop: all its loads are in
 * flight at once, and none waits for an iteration before it.
 */
import { flatIndex } from '../lib/indexing.ts';
import { wgsl } from '../lib/wgsl.ts';
import { range } from '../lib/text.ts';
import {
  type BlockAxis,
  type BlockSize,
  blockAxis,
  blockGridParams,
  type ChannelWidth,
  type Direction,
  valueType,
} from './axis.ts';
import { columnsExist, type ImageParams, maxLoopIterations, readRows, rowAt, rowReaders } from './rows.ts';

export type StripOptions = {
  direction: Direction;
  /** Channels that an invocation computes. */
  width: ChannelWidth;
  /** Columns of the result that a strip covers; for an input gradient, times the stride. */
  columns: number;
  /**
   * Of a block: the rows of the result that are computed at once, without a loop; for an input gradient, times the stride.
   */
  rows?: number;
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
  /** Iterations of a strip that complete results. */
  turns: 'u32',
  ...blockGridParams,
} as const;

const source: ImageParams = { height: 'from_h', width: 'from_w', rows: 'from_h', columns: 'from_w' };

/** Rows of the result that an iteration completes, and columns of a strip. */
export function stripSize({ direction, stride, columns, rows = 1 }: Omit<StripOptions, 'width'>): BlockSize {
  const scale = direction === 'forward' ? 1 : stride;
  return { rows: rows * scale, columns: columns * scale };
}

/** Iterations before the first that completes results. */
function turnsBefore({ extent, step }: BlockAxis): number {
  return Math.ceil(extent / step) - 1;
}

/** Values that an invocation holds: weights, begun sums or those of a block, and what it reads in an iteration. */
export function stripValues(options: Omit<StripOptions, 'width'>): number {
  const { direction, window, stride, rows } = options;
  const size = stripSize(options);
  const down = blockAxis(direction, window, stride, size.rows);
  const across = blockAxis(direction, window, stride, size.columns);
  if (rows !== undefined) return window ** 2 + size.rows * size.columns + down.extent * across.extent;
  const before = turnsBefore(down);
  // For each row of the result, one sum per iteration between its first value and its last.
  const begun = down.terms.map((terms) => {
    const first = Math.min(...terms.map(({ value }) => Math.floor(value / down.step)));
    return Math.max(0, before - first);
  });
  const sums = size.columns * begun.reduce((sum, turns) => sum + turns, 0);
  return window ** 2 + sums + down.step * across.extent;
}

export function depthwiseStrips(options: StripOptions): string {
  const { direction, width, window, stride } = options;
  const size = stripSize(options);
  const down = blockAxis(direction, window, stride, size.rows);
  const across = blockAxis(direction, window, stride, size.columns);
  const isBlock = options.rows !== undefined;
  const before = isBlock ? 0 : turnsBefore(down);
  const lines = isBlock ? down.extent : down.step;
  const rows = range(size.rows);
  const columns = range(size.columns);
  /** The terms that an iteration adds to a result that is completed `later` iterations later. */
  const share = (later: number, row: number, column: number) =>
    range(lines).flatMap((line) =>
      (down.terms[row] ?? [])
        .filter(({ value }) => value === (before - later) * down.step + line)
        .flatMap((y) =>
          (across.terms[column] ?? []).map((x) => `value_${line}_${x.value} * weight_${y.tap}_${x.tap}`),
        ),
    );
  const begun = (later: number, row: number, column: number) => `begun_${later}_${row}_${column}`;
  /** A chain of terms, which GPUs compute entirely by fused multiply-adds. */
  const total = (later: number, row: number, column: number) =>
    [...(later < before ? [begun(later, row, column)] : []), ...share(later, row, column)].join(' + ') ||
    'Value()';
  const everyResult = (line: (row: number, column: number) => string) =>
    rows.flatMap((row) => columns.map((column) => line(row, column))).join('\n      ');
  return wgsl`
${flatIndex}
alias Value = ${valueType(width)};
${rowReaders('values')}${rowAt(source)}
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
  ${columnsExist(across.extent, source)}
  ${columns.map((x) => `let is_result_${x} = u32(to_column + ${x}) < params.to_w;`).join('\n  ')}
  ${range(before)
    .map((later) => everyResult((row, column) => `var ${begun(later, row, column)} = Value();`))
    .join('\n  ')}
#if ${isBlock}
  let turn = 0;
  {
#else
  let turns = i32(params.turns) + ${before};
  for (var turn = 0; turn < ${maxLoopIterations}; turn++) {
    if (turn >= turns) {
      break;
    }
#endif
    let from_row = (first_turn + turn) * ${down.step} + params.from_row;
    ${readRows('values', lines, across.extent)}
    let to_row = (first_turn + turn - ${before}) * ${size.rows} + params.to_row;
    ${rows
      .map(
        (row) => `{
      let is_row = (turn >= ${before}) & (u32(to_row + ${row}) < params.to_h);
      let to_line = (picture * params.to_h + u32(to_row + ${row})) * params.to_w + u32(to_column);
      let to = to_line * params.channels + channel;
${columns
  .map(
    (column) => `      if (is_row & is_result_${column}) {
        result[to + ${column}u * params.channels] = ${total(0, row, column)};
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
