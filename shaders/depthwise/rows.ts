/**
 * @file How an invocation that iterates down a strip reads rows: some adjacent values of each. Values outside the image read
 * as zero.
 *
 * In the generated code, `value_<line>_<x>` is value x of row `line` of an iteration, and `is_column_<x>` whether it exists.
 */
import { each, range } from '../lib/text.ts';

/** `Row`, and a function `<array>_at` for each array that is read. */
export const rowReaders = (...arrays: readonly string[]) => `
// The values of a strip's row: where the first is, and whether the row exists.
struct Row {
  first: u32,
  valid: bool,
}
${each(
  arrays,
  (array) => `
// A value at a distance from the row's first.
fn ${array}_at(row: Row, distance: u32, is_column: bool) -> Value {
  return select(Value(), ${array}[row.first + distance], row.valid & is_column);
}
`,
)}`;

/** Names of the parameters for the size of an image, and for how many of its rows and columns are included. */
export interface ImageParams {
  readonly height: string;
  readonly width: string;
  readonly rows: string;
  readonly columns: string;
}

/** A function `row_at`: a row of an image, starting at a column. */
export const rowAt = ({ height, width, rows }: ImageParams) => `
fn row_at(picture: u32, row: i32, column: i32, channel: u32) -> Row {
  // A negative coordinate is a large unsigned one.
  let pixel = (picture * params.${height} + u32(row)) * params.${width} + u32(column);
  return Row(pixel * params.channels + channel, u32(row) < params.${rows});
}
`;

/** Before the loop: which of `extent` columns, from `from_column` on, exist. */
export const columnsExist = (extent: number, { columns }: ImageParams) =>
  each(range(extent), (x) => `let is_column_${x} = u32(from_column + ${x}) < params.${columns};`);

/** Reads `lines` rows of `array`, from `from_row` on, and `extent` values of each. */
export const readRows = (array: string, lines: number, extent: number) =>
  each(
    range(lines),
    (line) => `let row_${line} = row_at(picture, from_row + ${line}, from_column, channel);
    ${each(range(extent), (x) => `let value_${line}_${x} = ${array}_at(row_${line}, ${x}u * params.channels, is_column_${x});`)}`,
  );

/**
 * More iterations than any strip takes. A loop with a constant bound is known to end, so Tint adds no 64-bit counter to it, which
 * takes nine instructions per iteration.
 */
export const maxLoopIterations = 2 ** 30;
