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
import { each, range } from '../lib/text.ts';
import {
  type BlockAxis,
  type BlockSize,
  blockAxis,
  blockGridParams,
  type ChannelWidth,
  type Direction,
  type Edges,
  testedValues,
  valueType,
} from './axis.ts';
import { maxLoopIterations } from './rows.ts';

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
  /** Of blocks (./axis.ts), down and across. */
  phases: { down: number; across: number };
  /**
   * The edges of a block, which alone are tested; its results all exist, or down a strip, none. Without them everything is tested.
   */
  downEdges?: Edges;
  acrossEdges?: Edges;
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
  iterations: 'u32',
  ...blockGridParams,
} as const;

/** Rows of the result that an iteration completes, and columns of a strip. */
export function stripSize({
  direction,
  stride,
  columns,
  rows = 1,
}: Pick<StripOptions, 'direction' | 'stride' | 'columns' | 'rows'>): BlockSize {
  const scale = direction === 'forward' ? 1 : stride;
  return { rows: rows * scale, columns: columns * scale };
}

/** A block's axes, down and across. */
export function stripAxes(
  options: Omit<StripOptions, 'width' | 'downEdges' | 'acrossEdges'>,
): [BlockAxis, BlockAxis] {
  const { direction, window, stride, phases } = options;
  const size = stripSize(options);
  return [
    blockAxis(direction, window, stride, size.rows, phases.down),
    blockAxis(direction, window, stride, size.columns, phases.across),
  ];
}

/** Iterations before the first that completes results. */
function iterationsBefore({ extent, step }: BlockAxis): number {
  return Math.ceil(extent / step) - 1;
}

/** Values that an invocation holds: weights, begun sums or those of a block, and what it reads in an iteration. */
export function stripValues(options: Omit<StripOptions, 'width' | 'downEdges' | 'acrossEdges'>): number {
  const { window, rows } = options;
  const size = stripSize(options);
  const [down, across] = stripAxes(options);
  if (rows !== undefined) return window ** 2 + size.rows * size.columns + down.extent * across.extent;
  const before = iterationsBefore(down);
  // For each row of the result, one sum per iteration between its first value and its last.
  const begun = down.terms.map((terms) => {
    const first = Math.min(...terms.map(({ value }) => Math.floor(value / down.step)));
    return Math.max(0, before - first);
  });
  const sums = size.columns * begun.reduce((sum, iterations) => sum + iterations, 0);
  return window ** 2 + sums + down.step * across.extent;
}

export function depthwiseStrips(options: StripOptions): string {
  const { width, window, downEdges, acrossEdges } = options;
  const size = stripSize(options);
  const [down, across] = stripAxes(options);
  const isBlock = options.rows !== undefined;
  const before = isBlock ? 0 : iterationsBefore(down);
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
  /** Where a block begins, in the result and in what is read. With edges, the last one begins so early that all results exist. */
  const start = (name: string, block: string, count: number, length: string, edges: Edges | undefined) => {
    const to = `${block} * ${count}u`;
    const scale = options.direction === 'forward' ? '*' : '/';
    return `let first_to_${name} = ${edges ? `min(${to}, params.${length} - ${count}u)` : to};
  let first_from_${name} = i32(first_to_${name} ${scale} ${options.stride}u) + params.from_${name};`;
  };
  const testedColumns = testedValues(acrossEdges, across.extent);
  const testedLines = testedValues(downEdges, down.extent).map((value) => value % lines);
  /** A value, or zero if it is outside of the image. */
  const read = (line: number, x: number) => {
    const value = `values[row_${line} + ${x}u * params.channels]`;
    const tests = [
      ...(testedLines.includes(line) ? [`is_row_${line}`] : []),
      ...(testedColumns.includes(x) ? [`is_column_${x}`] : []),
    ];
    return tests.length > 0 ? `select(Value(), ${value}, ${tests.join(' & ')})` : value;
  };
  const readLine = (line: number) => `let row_${line} = from_at + ${line}u * from_pitch;
    ${testedLines.includes(line) ? `let is_row_${line} = u32(from_row + ${line}) < params.from_h;` : ''}
    ${each(range(across.extent), (x) => `let value_${line}_${x} = ${read(line, x)};`)}`;
  const write = (row: number, column: number) => {
    const store = `result[to_${row} + ${column}u * params.channels] = ${total(0, row, column)};`;
    return acrossEdges ? store : `if (is_result_${column}) {\n${store}\n}`;
  };
  const writeRow = (row: number) => `let to_${row} = to_at + ${row}u * to_pitch;
      ${each(columns, (column) => write(row, column))}`;
  /** Writes what an iteration completes: rows that exist or not together, where edges are known. */
  const writeRows = () => {
    const isComplete = isBlock ? [] : [`iteration >= ${before}u`];
    const exists = (row: number) => `to_row + ${row}u < params.to_h`;
    const when = (tests: readonly string[], body: string) =>
      `if (${tests.map((test) => `(${test})`).join(' & ')}) {
      ${body}
    }`;
    if (!downEdges) return each(rows, (row) => when([...isComplete, exists(row)], writeRow(row)));
    const body = each(rows, writeRow);
    return isBlock ? body : when([...isComplete, exists(0)], body);
  };
  const everyResult = (line: (row: number, column: number) => string) =>
    rows.flatMap((row) => columns.map((column) => line(row, column))).join('\n      ');
  return wgsl`
${flatIndex}
alias Value = ${valueType(width)};
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
  let line = place / params.strip_columns;
  let strip_row = line % params.strip_rows;
  let picture = line / params.strip_rows;
  ${start('column', '(place % params.strip_columns)', size.columns, 'to_w', acrossEdges)}
  ${start('row', `(strip_row * params.iterations)`, size.rows, 'to_h', isBlock ? downEdges : undefined)}
  ${range(window * window)
    .map(
      (tap) =>
        `let weight_${Math.floor(tap / window)}_${tap % window} = weights[${tap}u * params.channels + channel];`,
    )
    .join('\n  ')}
  // A negative coordinate is a large unsigned one.
  ${each(testedColumns, (x) => `let is_column_${x} = u32(first_from_column + ${x}) < params.from_w;`)}
  ${acrossEdges ? '' : each(columns, (x) => `let is_result_${x} = first_to_column + ${x}u < params.to_w;`)}
  ${range(before)
    .map((later) => everyResult((row, column) => `var ${begun(later, row, column)} = Value();`))
    .join('\n  ')}
  let from_pitch = params.from_w * params.channels;
  let to_pitch = params.to_w * params.channels;
  var from_row = first_from_row;
  var from_at = (picture * params.from_h + u32(from_row)) * from_pitch;
  from_at += u32(first_from_column) * params.channels + channel;
  // Of iterations that complete nothing, a row before the first.
  var to_row = first_to_row - ${before * size.rows}u;
  var to_at = (picture * params.to_h + to_row) * to_pitch + first_to_column * params.channels + channel;
#if ${isBlock}
  {
#else
  let iterations = params.iterations + ${before}u;
  for (var iteration = 0u; iteration < ${maxLoopIterations}u; iteration++) {
    if (iteration >= iterations) {
      break;
    }
#endif
    ${each(range(lines), readLine)}
    ${writeRows()}
    ${range(before)
      .map((later) =>
        everyResult((row, column) => `${begun(later, row, column)} = ${total(later + 1, row, column)};`),
      )
      .join('\n    ')}
#if ${!isBlock}
    from_row += ${down.step};
    from_at += ${down.step}u * from_pitch;
    to_row += ${size.rows}u;
    to_at += ${size.rows}u * to_pitch;
#endif
  }
}
`;
}
