/** @file What `console.table` is called with, as rows of a table: arrays and objects of objects, of arrays and of values. */
import { formatValue } from './formatValue.ts';

export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** The column of each row's index or name, and that of rows that are no objects. */
const INDEX = '#';
const VALUES = 'value';

export function rowsOf(data: unknown, columns?: readonly string[]): Row[] {
  if (typeof data !== 'object' || data === null || isTensor(data)) return [{ [VALUES]: cell(data) }];
  const entries =
    data instanceof Map ? [...data] : data instanceof Set ? [...data].entries() : Object.entries(data);
  return [...entries].map(([name, value]) => {
    const cells = cellsOf(value);
    const shown = columns ? cells.filter(([column]) => columns.includes(column)) : cells;
    return {
      [INDEX]: cell(name),
      ...Object.fromEntries(shown.map(([column, part]) => [column, cell(part)])),
    };
  });
}

const isTensor = (value: object) => 'dtype' in value && 'shape' in value;

const cellsOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null && !isTensor(value) ? Object.entries(value) : [[VALUES, value]];

function cell(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string')
    return value;
  return formatValue(value);
}
