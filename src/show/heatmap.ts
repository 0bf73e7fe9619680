/** @file heatmap: a matrix of values, such as attention weights or correlations, as coloured cells. */
import { describe } from '../core/describe.ts';
import { ShapeError, ValueError } from '../core/errors.ts';
import { checkOptions, type OptionNames } from '../core/options.ts';
import { Chart } from './chart.ts';
import { requireText, requireTexts } from './checks.ts';
import { lineColour } from './colour.ts';
import type { Markup } from './markup.ts';
import { drawMatrix } from './matrix.ts';
import { tickText } from './numberText.ts';

/** The rows of a matrix, all of one length. */
export type MatrixValues = readonly ArrayLike<number>[];

export interface HeatmapOptions {
  /** The names of the rows. Default: their numbers, from 0. */
  rows?: readonly string[];
  /** The names of the columns. Default: their numbers, from 0. */
  columns?: readonly string[];
  /** What the columns are. Default 'column'. */
  xLabel?: string;
  /** What the rows are. Default 'row'. */
  yLabel?: string;
  /** What the chart shows, for screen readers. Default 'Heatmap'. */
  title?: string;
}

const optionNames: OptionNames<HeatmapOptions> = {
  rows: false,
  columns: false,
  xLabel: false,
  yLabel: false,
  title: false,
};

/**
 * A cell for each value of a matrix, darker the farther it is from 0; values below 0 have a colour of their own, and values that
 * aren't finite an empty cell.
 *
 *     heatmap([[0.9, 0.1], [0.2, 0.8]], { rows: ['le', 'chat'], columns: ['the', 'cat'] })
 *
 * Of a tensor, pass `await t.array()`. Errors: ShapeError for rows of several lengths, and for more or fewer names than rows or columns;
 * ValueError for anything but rows of numbers, and for options.
 */
export function heatmap(values: MatrixValues, options: HeatmapOptions = {}): Chart<MatrixValues> {
  const op = 'heatmap';
  checkOptions(op, options, optionNames);
  const title = requireText(op, 'title', options.title ?? 'Heatmap');
  const xLabel = requireText(op, 'xLabel', options.xLabel ?? 'column');
  const yLabel = requireText(op, 'yLabel', options.yLabel ?? 'row');
  const named = (name: 'rows' | 'columns') =>
    options[name] === undefined ? null : requireTexts(op, name, options[name]);
  const [rows, columns] = [named('rows'), named('columns')];
  return new Chart(op, values, (given) => {
    const matrix = requireMatrix(op, given);
    const names = {
      rows: namesFor(op, 'rows', rows, matrix.length),
      columns: namesFor(op, 'columns', columns, matrix[0]?.length ?? 0),
    };
    return (width) => drawValues(matrix, { ...names, title, xLabel, yLabel }, width);
  });
}

function requireMatrix(op: string, values: unknown): readonly (readonly number[])[] {
  const isList = (value: unknown): value is ArrayLike<unknown> =>
    Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
  const isRow = (row: unknown) => isList(row) && Array.from(row).every((value) => typeof value === 'number');
  if (!Array.isArray(values) || !values.every(isRow)) {
    throw new ValueError({
      op,
      rule: 'the values are an array of rows, each of them numbers.',
      received: describe(values),
      hint: 'pass [[0.9, 0.1], [0.2, 0.8]]; of a tensor with two axes, await tensor.array().',
    });
  }
  const matrix = values.map((row: ArrayLike<number>) => Array.from(row));
  const other = matrix.findIndex((row) => row.length !== matrix[0]?.length);
  if (other < 0) return matrix;
  throw new ShapeError({
    op,
    rule: 'all rows have the same length.',
    received: `${matrix[0]?.length} values in row 0, ${matrix[other]?.length} in row ${other}`,
    hint: 'pad the shorter rows, with NaN for an empty cell.',
  });
}

function namesFor(
  op: string,
  what: string,
  names: readonly string[] | null,
  count: number,
): readonly string[] {
  if (names === null) return Array.from({ length: count }, (_, i) => String(i));
  if (names.length === count) return names;
  throw new ShapeError({
    op,
    rule: `\`${what}\` has a name for each of the ${what}.`,
    received: `${names.length} names, ${count} ${what}`,
    hint: `pass ${count} names, or leave \`${what}\` out for numbers.`,
  });
}

/** Two digits: cells are narrow. */
const cellText = (value: number) =>
  Number.isFinite(value) ? tickText(Number(value.toPrecision(2))) : String(value);

interface Style {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
}

function drawValues(matrix: readonly (readonly number[])[], style: Style, width: number): Markup {
  const finite = matrix.flat().filter(Number.isFinite);
  const extreme = (pick: (a: number, b: number) => number) => cellText(finite.reduce(pick));
  const farthest = finite.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const { rows, columns, title, xLabel, yLabel } = style;
  const size = `${rows.length} rows, ${columns.length} columns`;
  return drawMatrix({
    width,
    title,
    description:
      finite.length > 0
        ? `${size}, values from ${extreme((a, b) => Math.min(a, b))} to ${extreme((a, b) => Math.max(a, b))}`
        : `${size}, no finite values`,
    rows,
    columns,
    rowWord: `${yLabel} ↓`,
    columnWord: `${xLabel} →`,
    cells: matrix.map((row) =>
      row.map((value) => ({
        colour: lineColour(value < 0 ? 0 : 1),
        strength: Number.isFinite(value) && farthest > 0 ? Math.abs(value) / farthest : 0,
        text: cellText(value),
      })),
    ),
  });
}
