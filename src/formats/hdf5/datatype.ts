/** @file Datatypes of HDF5: how the elements of datasets and attributes are stored. */
import type { NumberType } from '../numbers.ts';
import type { Cursor } from './cursor.ts';

export type Datatype =
  | {
      readonly kind: 'number';
      readonly type: NumberType;
      readonly bytes: number;
      readonly littleEndian: boolean;
    }
  /** Strings of `bytes` bytes each. */
  | { readonly kind: 'text'; readonly bytes: number }
  /** References to strings in the global heap. */
  | { readonly kind: 'textReference'; readonly bytes: number }
  | { readonly kind: 'other'; readonly name: string; readonly bytes: number };

const classNames = [
  'integer',
  'float',
  'time',
  'string',
  'bit field',
  'opaque',
  'compound',
  'reference',
  'enumeration',
  'variable length',
  'array',
];

/** Enumerations and sequences contain the type of their elements; that type must not contain another. */
const maxNesting = 2;

/** Errors: FormatError for a type that is cut short. Types without numbers or text are read as 'other'. */
export function readDatatype(cursor: Cursor, nesting = 0): Datatype {
  const classAndVersion = cursor.u8();
  const flags = cursor.u8() | (cursor.u8() << 8) | (cursor.u8() << 16);
  const bytes = cursor.u32();
  if (bytes === 0) throw cursor.invalid('an element takes at least one byte.', 'a datatype of 0 bytes');
  const index = classAndVersion & 0x0f;
  const other: Datatype = { kind: 'other', name: classNames[index] ?? `class ${index}`, bytes };
  switch (index) {
    case 0:
      return readInteger(cursor, flags, bytes) ?? other;
    case 1:
      return readFloat(cursor, flags, bytes) ?? other;
    case 3:
      return { kind: 'text', bytes };
    case 8: {
      // h5py stores booleans as an enumeration of FALSE and TRUE.
      if (nesting >= maxNesting) return other;
      const base = readDatatype(cursor, nesting + 1);
      return base.kind === 'number' && base.bytes === bytes ? base : other;
    }
    case 9:
      return (flags & 0x0f) === 1 ? { kind: 'textReference', bytes } : other;
    default:
      return other;
  }
}

function readInteger(cursor: Cursor, flags: number, bytes: number): Datatype | null {
  const [offset, precision] = [cursor.u16(), cursor.u16()];
  if (offset !== 0 || precision !== bytes * 8 || ![1, 2, 4, 8].includes(bytes)) return null;
  const type = `${flags & 0x08 ? '' : 'u'}int${precision}` as NumberType;
  return { kind: 'number', type, bytes, littleEndian: (flags & 0x01) === 0 };
}

/** Sizes of exponent and mantissa, by the name of the type. */
const floats: readonly (readonly [type: NumberType, bytes: number, exponent: number, mantissa: number])[] = [
  ['float16', 2, 5, 10],
  ['bfloat16', 2, 8, 7],
  ['float32', 4, 8, 23],
  ['float64', 8, 11, 52],
];

function readFloat(cursor: Cursor, flags: number, bytes: number): Datatype | null {
  const [offset, precision] = [cursor.u16(), cursor.u16()];
  cursor.skip(1);
  const exponent = cursor.u8();
  cursor.skip(1);
  const mantissa = cursor.u8();
  const found = floats.find(([, size, e, m]) => size === bytes && e === exponent && m === mantissa);
  const isVax = (flags & 0x40) !== 0;
  if (!found || isVax || offset !== 0 || precision !== bytes * 8) return null;
  return { kind: 'number', type: found[0], bytes, littleEndian: (flags & 0x01) === 0 };
}
