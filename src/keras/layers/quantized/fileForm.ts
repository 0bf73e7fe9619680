/** @file FileForm: a weight that is stored in another layout in memory than in files. */
import type { TypedData } from '../../../core/dtype.ts';
import { FormatError } from '../../../core/errors.ts';
import {
  floatBits,
  floatsOfBits,
  inLines,
  type NarrowFloat,
  packNibbles,
  packWeights,
  packZeros,
  unpackNibbles,
  unpackWeights,
  unpackZeros,
} from '../../../core/packedWeights.ts';
import type { Shape } from '../../../core/shape.ts';

/** How a weight is stored in files, and its values there and in memory. */
export interface FileForm {
  readonly type: 'int8' | 'float32';
  readonly shape: Shape;
  fromFile(values: ArrayLike<number>): TypedData;
  toFile(values: TypedData): TypedData;
}

/** Where a kernel's weights are among its integers in a file: those of column c and row i at columns[c] + rows[i]. */
export interface Places {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

/** Integers of a kernel: a line of a packed matrix for each column. Pairs of 4 bits are along `perLine` integers in files. */
export function kernelForm(
  format: 'int8' | 'int4',
  shape: Shape,
  { rows, columns }: Places,
  perLine: number,
): FileForm {
  const matrix = { channels: columns.length, length: rows.length, transposed: false };
  const lines = (rows.length * columns.length) / Math.max(1, perLine);
  const placed = (visit: (line: number, file: number) => void) => {
    let line = 0;
    for (const column of columns) for (const row of rows) visit(line++, column + row);
  };
  return {
    type: 'int8',
    shape,
    fromFile: (values) => {
      const given = format === 'int4' ? unpackNibbles(Int8Array.from(values), lines, perLine) : values;
      const inOrder = new Int8Array(rows.length * columns.length);
      placed((line, file) => {
        inOrder[line] = given[file] as number;
      });
      return packWeights(format, inOrder, matrix);
    },
    toFile: (values) => {
      const inOrder = unpackWeights(format, values as Uint32Array, matrix);
      const given = new Int8Array(inOrder.length);
      placed((line, file) => {
        given[file] = inOrder[line] as number;
      });
      return Int32Array.from(format === 'int4' ? packNibbles(given, lines, perLine) : given);
    },
  };
}

/** Floats of 16 bits: a line of a packed matrix for each column. Files have them as float32. */
export function floatsForm(format: NarrowFloat, shape: Shape, { rows, columns }: Places): FileForm {
  const matrix = { channels: columns.length, length: rows.length, transposed: false };
  return {
    type: 'float32',
    shape,
    fromFile: (values) => {
      const inOrder = new Float32Array(rows.length * columns.length);
      let at = 0;
      for (const column of columns) for (const row of rows) inOrder[at++] = values[column + row] as number;
      return packWeights(format, floatBits(format, inOrder), matrix);
    },
    toFile: (words) => {
      const inOrder = floatsOfBits(format, unpackWeights(format, words as Uint32Array, matrix));
      const values = new Float32Array(inOrder.length);
      let at = 0;
      for (const column of columns) for (const row of rows) values[column + row] = inOrder[at++] as number;
      return values;
    },
  };
}

/** A number for each group of each column, in lines of columns; files have lines of groups if `transposed`. */
export function scalesForm(shape: Shape, columns: number, groups: number, transposed: boolean): FileForm {
  const inMemory = { channels: columns, length: groups, transposed };
  const inFile = { channels: groups, length: columns, transposed };
  return {
    type: 'float32',
    shape,
    fromFile: (values) => inLines(values, inMemory),
    toFile: (values) => (transposed ? inLines(values, inFile) : values),
  };
}

/** The zero point of each group of each column: bytes in words. */
export function zerosForm(shape: Shape, columns: number, groups: number, transposed: boolean): FileForm {
  const matrix = { channels: columns, length: groups, transposed };
  return {
    type: 'int8',
    shape,
    fromFile: (values) => packZeros(values, matrix),
    toFile: (values) => Int32Array.from(unpackZeros(values as Uint32Array, matrix)),
  };
}

/** The group of each row. Errors: FormatError unless groups are `block` consecutive rows. */
export function groupsForm(name: string, rows: number, block: number): FileForm {
  return {
    type: 'float32',
    shape: [rows],
    fromFile: (values) => {
      for (let i = 0; i < rows; i++) {
        if (values[i] === Math.floor(i / block)) continue;
        throw new FormatError({
          op: name,
          rule: `a group of 4-bit weights is ${block} consecutive rows.`,
          received: `group ${values[i]} for row ${i}`,
          hint: 'save the model before it is quantized.',
        });
      }
      return Float32Array.from(values);
    },
    toFile: (values) => values,
  };
}
