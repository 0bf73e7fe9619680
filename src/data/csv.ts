/** @file csv: the records of CSV text as elements, in the words of tf.data's `make_csv_dataset`. */
import { FormatError, ValueError } from '../core/errors.ts';
import { type OptionNames, optionsOf } from '../core/options.ts';
import { describe, requireBoolean } from '../core/shape.ts';
import { suggestionFor } from '../core/suggest.ts';
import { type CsvRecord, CsvReader } from './csvReader.ts';
import { Dataset } from './dataset.ts';
import { TextFiles, type TextSource } from './text.ts';

export interface CsvOptions<L extends string | null = string | null> {
  /** Whether the first record of each file has the names of columns. Default true. */
  header?: boolean;
  /** Names of the columns. Default: those of the header; without a header '0', '1', … */
  columnNames?: readonly string[] | null;
  /** The columns to read, in their order. Default: all. */
  selectColumns?: readonly string[] | null;
  /** The column of labels: elements are then [row, label]. Default: rows only. */
  labelName?: L;
  /**
   * By column, what a missing value becomes, which also says whether the column holds numbers or texts. Default: NaN and ''. A
   * column holds numbers if its values in the first 100 records are.
   */
  columnDefaults?: Readonly<Record<string, number | string>>;
  /** The character between fields. Default ','. */
  fieldDelim?: string;
  /** What stands for a missing value, besides nothing. Default ''. */
  naValue?: string;
}

/** One row of CSV text, by column. */
export type CsvRow = Readonly<Record<string, number | string>>;

const optionNames: OptionNames<CsvOptions> = {
  header: false,
  columnNames: false,
  selectColumns: false,
  labelName: false,
  columnDefaults: false,
  fieldDelim: false,
  naValue: false,
};

const op = 'csv';
/** As many records show what a column holds, as in TensorFlow. */
const headRecords = 100;

/**
 * The rows of CSV text as records, { column: number or text }, or with `labelName` as pairs [row, label]. `files` is a text or
 * several. Quoted fields follow RFC 4180; empty lines are left out.
 *
 *     csv(file, { labelName: 'price' }).map(([{ rooms, area }, price]) => [[rooms, area], price]).batch(32)
 *
 * Errors: ValueError for invalid options; in a pass, FormatError for malformed text or files that can't be read, ValueError for
 * unknown columns.
 */
export function csv<L extends string | null = null>(
  files: TextSource | readonly TextSource[],
  options?: CsvOptions<L>,
): Dataset<L extends string ? readonly [row: CsvRow, label: number | string] : CsvRow>;
export function csv(files: TextSource | readonly TextSource[], ...args: unknown[]): Dataset<unknown> {
  const options: CsvOptions = optionsOf(op, args, optionNames, ['files']);
  checkCsvOptions(options);
  const texts = new TextFiles(files);
  return new Dataset(() => rowsOf(texts, options));
}

async function* rowsOf(texts: TextFiles, options: CsvOptions): AsyncGenerator<unknown> {
  const { labelName = null, naValue = '', columnDefaults = {} } = options;
  let columns: readonly Column[] | null = null;
  let head: CsvRecord[] = [];
  let names: readonly string[] | null = null;
  const rows = (records: readonly CsvRecord[]) => {
    columns ??= columnsOf(names as readonly string[], head.slice(0, headRecords), options);
    return records.map((record) => rowOf(record, columns as readonly Column[], naValue, labelName));
  };
  requireDefaults(columnDefaults);
  for (const text of texts) {
    let isFirst = true;
    for await (const found of recordsOf(text, options.fieldDelim ?? ',')) {
      const records = isFirst && (options.header ?? true) ? found.slice(1) : found;
      if (isFirst) names = namesOf(found[0] as CsvRecord, names, options);
      isFirst = false;
      for (const record of records) requireFields(record, names as readonly string[]);
      if (columns) yield* rows(records);
      else head = head.concat(records);
      if (!columns && head.length >= headRecords) yield* rows(head);
    }
  }
  if (!columns && head.length > 0) yield* rows(head);
}

/** Records in parts, none of which is empty. */
async function* recordsOf(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRecord[]> {
  const reader = new CsvReader(delimiter);
  for await (const part of text) {
    const records = reader.read(part);
    if (records.length > 0) yield records;
  }
  const last = reader.end();
  if (last.length > 0) yield last;
}

interface Column {
  readonly name: string;
  readonly index: number;
  readonly isNumeric: boolean;
  readonly missing: number | string;
}

/** Returns the names of the columns. Errors: FormatError for a file with another header than the first one. */
function namesOf(
  first: CsvRecord,
  known: readonly string[] | null,
  { header = true, columnNames }: CsvOptions,
): readonly string[] {
  const names = columnNames ?? (header ? first.fields : first.fields.map((_, i) => String(i)));
  if (header && known && String(known) !== String(names))
    throw malformed('all files have the same columns.', `${names.join(', ')} after ${known.join(', ')}`);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw malformed('each column has a name of its own.', `'${twice}' twice`);
  return names;
}

function columnsOf(names: readonly string[], head: readonly CsvRecord[], options: CsvOptions): Column[] {
  const { selectColumns, labelName = null, columnDefaults = {}, naValue = '' } = options;
  const selected = selectColumns ?? names;
  const wanted = [...selected, ...(labelName === null || selected.includes(labelName) ? [] : [labelName])];
  for (const name of [...wanted, ...Object.keys(columnDefaults)]) {
    if (names.includes(name)) continue;
    throw new ValueError({
      op,
      rule: `the columns are ${names.join(', ')}.`,
      received: `'${name}'`,
      hint: suggestionFor(name, names, 'check the spelling.'),
    });
  }
  return wanted.map((name) => {
    const index = names.indexOf(name);
    const given = Object.hasOwn(columnDefaults, name) ? columnDefaults[name] : undefined;
    const holdsNumber = ({ fields }: CsvRecord) => {
      const field = fields[index] as string;
      return isMissing(field, naValue) || numberOf(field) !== null;
    };
    const isNumeric = given === undefined ? head.every(holdsNumber) : typeof given === 'number';
    return { name, index, isNumeric, missing: given ?? (isNumeric ? Number.NaN : '') };
  });
}

function rowOf(
  record: CsvRecord,
  columns: readonly Column[],
  naValue: string,
  labelName: string | null,
): unknown {
  const values = columns.map((column): [string, number | string] => [
    column.name,
    fieldValue(record, column, naValue),
  ]);
  if (labelName === null) return Object.fromEntries(values);
  const row = Object.fromEntries(values.filter(([name]) => name !== labelName));
  return [row, (values.find(([name]) => name === labelName) as [string, number | string])[1]];
}

function fieldValue(
  { fields, line }: CsvRecord,
  { name, index, isNumeric, missing }: Column,
  naValue: string,
) {
  const field = fields[index] as string;
  if (isMissing(field, naValue)) return missing;
  if (!isNumeric) return field;
  const value = numberOf(field);
  if (value !== null) return value;
  throw new FormatError({
    op,
    rule: `column '${name}' holds numbers, as its first values do.`,
    received: `'${field}' on line ${line}`,
    hint: `read it as text by columnDefaults: { '${name}': '' }, or name what stands for a missing value by naValue.`,
  });
}

function isMissing(field: string, naValue: string): boolean {
  return field === '' || field === naValue;
}

/** Returns the number in a field; null for anything else. */
function numberOf(field: string): number | null {
  const text = field.trim();
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  const special = /^([+-]?)(nan|inf|infinity)$/i.exec(text);
  if (!special) return null;
  if (special[2]?.toLowerCase() === 'nan') return Number.NaN;
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function requireFields({ fields, line }: CsvRecord, names: readonly string[]): void {
  if (fields.length === names.length) return;
  throw malformed(
    `each record has a field for each of ${names.length} columns.`,
    `${fields.length} fields on line ${line}`,
  );
}

function malformed(rule: string, received: string): FormatError {
  return new FormatError({
    op,
    rule,
    received,
    hint: 'check the delimiter, the quotes, and whether there is a header.',
  });
}

function checkCsvOptions({ header = true, fieldDelim = ',', naValue = '', ...names }: CsvOptions): void {
  requireBoolean(op, 'header', header);
  const lists = [names.columnNames, names.selectColumns].filter(
    (list) => list !== undefined && list !== null,
  );
  const isText = (value: unknown) => typeof value === 'string';
  const isValid =
    isText(fieldDelim) &&
    fieldDelim.length === 1 &&
    !/["\r\n]/.test(fieldDelim) &&
    isText(naValue) &&
    lists.every((list) => Array.isArray(list) && list.every(isText)) &&
    (names.labelName === undefined || names.labelName === null || isText(names.labelName));
  if (isValid) return;
  throw new ValueError({
    op,
    rule: 'columns are named by texts, `fieldDelim` is one character, and `naValue` a text.',
    received: describe({ fieldDelim, naValue, ...names }),
    hint: "pass { labelName: 'price', fieldDelim: ';' }.",
  });
}

function requireDefaults(columnDefaults: CsvOptions['columnDefaults']): void {
  const values = Object.values(columnDefaults ?? {});
  if (values.every((value) => typeof value === 'number' || typeof value === 'string')) return;
  throw new ValueError({
    op,
    rule: '`columnDefaults` has a number or a text for columns.',
    received: describe(columnDefaults),
    hint: "pass { age: 0, name: '' }.",
  });
}
