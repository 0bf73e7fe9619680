/** @file Messages of object headers: dataspace, layout, filters, links and attributes. */
import { maxRank } from '../../core/shape.ts';
import { type Cursor, undefinedAddress } from './cursor.ts';
import { type Datatype, readDatatype } from './datatype.ts';

/** Types of messages. */
export const messageType = {
  dataspace: 0x01,
  linkInfo: 0x02,
  datatype: 0x03,
  fillValueOld: 0x04,
  fillValue: 0x05,
  link: 0x06,
  externalFiles: 0x07,
  layout: 0x08,
  filters: 0x0b,
  attribute: 0x0c,
  continuation: 0x10,
  symbolTable: 0x11,
  attributeInfo: 0x15,
} as const;

/** Where the values of a dataset are. */
export type Layout =
  | { readonly kind: 'compact'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'contiguous'; readonly address: number; readonly size: number }
  | {
      readonly kind: 'chunked';
      readonly address: number;
      readonly shape: readonly number[];
      readonly index: ChunkIndex;
    };

/** How the chunks of a dataset are found. */
export type ChunkIndex =
  | { readonly kind: 'tree' }
  | { readonly kind: 'single'; readonly bytes: number | null; readonly filterMask: number }
  | { readonly kind: 'implicit' }
  | { readonly kind: 'fixedArray' }
  | { readonly kind: 'other'; readonly name: string };

export interface Filter {
  readonly id: number;
  readonly isOptional: boolean;
  readonly values: readonly number[];
}

export type Link =
  | { readonly kind: 'hard'; readonly address: number }
  | { readonly kind: 'soft' | 'external' };

export interface Attribute {
  readonly name: string;
  readonly datatype: Datatype;
  /** Null for an empty dataspace. */
  readonly shape: readonly number[] | null;
  readonly data: Uint8Array<ArrayBuffer>;
}

/** Returns the shape; null for a dataspace without elements. Errors: FormatError for a shape of more axes than tensors have. */
export function readDataspace(cursor: Cursor): readonly number[] | null {
  const version = cursor.version(1, 2);
  const rank = cursor.u8();
  cursor.skip(1);
  if (version === 1) cursor.skip(5);
  else if (cursor.u8() === 2) return null;
  if (rank > maxRank) throw cursor.invalid(`a shape has at most ${maxRank} axes.`, `${rank} axes`);
  return Array.from({ length: rank }, () => cursor.length());
}

export function readLayout(cursor: Cursor): Layout {
  const version = cursor.version(1, 2, 3, 4, 5);
  return version < 3 ? readOldLayout(cursor) : readNewLayout(cursor, version);
}

function readOldLayout(cursor: Cursor): Layout {
  const rank = cursor.u8();
  const kind = cursor.u8();
  cursor.skip(5);
  const address = kind === 0 ? undefinedAddress : cursor.address();
  const sizes = Array.from({ length: rank }, () => cursor.u32());
  if (kind === 0) return { kind: 'compact', bytes: cursor.take(cursor.u32()) };
  if (kind === 1) return { kind: 'contiguous', address, size: Number.NaN };
  if (kind === 2) return { kind: 'chunked', address, shape: sizes.slice(0, -1), index: { kind: 'tree' } };
  throw cursor.invalid('values are stored compact, contiguous or in chunks.', `layout class ${kind}`);
}

function readNewLayout(cursor: Cursor, version: number): Layout {
  const kind = cursor.u8();
  if (kind === 0) return { kind: 'compact', bytes: cursor.take(cursor.u16()) };
  if (kind === 1) return { kind: 'contiguous', address: cursor.address(), size: cursor.length() };
  if (kind === 2) return version === 3 ? readChunks(cursor) : readIndexedChunks(cursor);
  throw cursor.invalid(
    'values are stored compact, contiguous or in chunks.',
    kind === 3 ? 'a virtual dataset, whose values are in other files' : `layout class ${kind}`,
    'copy the values into a dataset of this file.',
  );
}

function readChunks(cursor: Cursor): Layout {
  const rank = cursor.u8();
  const address = cursor.address();
  const sizes = Array.from({ length: rank }, () => cursor.u32());
  return { kind: 'chunked', address, shape: sizes.slice(0, -1), index: { kind: 'tree' } };
}

function readIndexedChunks(cursor: Cursor): Layout {
  const flags = cursor.u8();
  const rank = cursor.u8();
  const encoded = cursor.u8();
  const sizes = Array.from({ length: rank }, () => cursor.unsigned(encoded));
  const index = readChunkIndex(cursor, flags);
  return { kind: 'chunked', address: cursor.address(), shape: sizes.slice(0, -1), index };
}

function readChunkIndex(cursor: Cursor, flags: number): ChunkIndex {
  const type = cursor.u8();
  switch (type) {
    case 1: {
      const isFiltered = (flags & 0x02) !== 0;
      const bytes = isFiltered ? cursor.length() : null;
      return { kind: 'single', bytes, filterMask: isFiltered ? cursor.u32() : 0 };
    }
    case 2:
      return { kind: 'implicit' };
    case 3:
      cursor.skip(1);
      return { kind: 'fixedArray' };
    case 4:
      cursor.skip(5);
      return { kind: 'other', name: 'an extensible array' };
    default:
      cursor.skip(6);
      return { kind: 'other', name: type === 5 ? 'a B-tree of version 2' : `index ${type}` };
  }
}

/** More filters than files have in practice. */
const maxFilters = 32;

/** Returns the filters, in the order in which they were applied. */
export function readFilters(cursor: Cursor): Filter[] {
  const version = cursor.version(1, 2);
  const count = cursor.u8();
  if (count > maxFilters)
    throw cursor.invalid(`at most ${maxFilters} filters are chained.`, `${count} filters`);
  if (version === 1) cursor.skip(6);
  return Array.from({ length: count }, () => {
    const id = cursor.u16();
    const nameBytes = version === 1 || id >= 256 ? cursor.u16() : 0;
    const flags = cursor.u16();
    const valueCount = cursor.u16();
    cursor.skip(version === 1 ? Math.ceil(nameBytes / 8) * 8 : nameBytes);
    const values = Array.from({ length: valueCount }, () => cursor.u32());
    if (version === 1 && valueCount % 2 === 1) cursor.skip(4);
    return { id, isOptional: (flags & 1) !== 0, values };
  });
}

/** Returns the value of elements that were never written; null for zeros. */
export function readFillValue(cursor: Cursor): Uint8Array<ArrayBuffer> | null {
  const version = cursor.version(1, 2, 3);
  if (version === 3) return (cursor.u8() & 0x20) !== 0 ? cursor.take(cursor.u32()) : null;
  cursor.skip(2);
  const isDefined = cursor.u8() !== 0;
  if (version === 2 && !isDefined) return null;
  const bytes = cursor.u32();
  return bytes === 0 ? null : cursor.take(bytes);
}

export function readOldFillValue(cursor: Cursor): Uint8Array<ArrayBuffer> | null {
  const bytes = cursor.u32();
  return bytes === 0 ? null : cursor.take(bytes);
}

export function readLink(cursor: Cursor): { name: string; link: Link } {
  cursor.version(1);
  const flags = cursor.u8();
  const type = flags & 0x08 ? cursor.u8() : 0;
  if (flags & 0x04) cursor.skip(8);
  if (flags & 0x10) cursor.skip(1);
  const name = cursor.string(cursor.unsigned(1 << (flags & 0x03)));
  if (type === 0) return { name, link: { kind: 'hard', address: cursor.address() } };
  return { name, link: { kind: type === 1 ? 'soft' : 'external' } };
}

export function readAttribute(cursor: Cursor): Attribute {
  const version = cursor.version(1, 2, 3);
  const flags = cursor.u8();
  if (version > 1 && (flags & 0x03) !== 0) throw sharedMessage(cursor);
  const [nameBytes, typeBytes, spaceBytes] = [cursor.u16(), cursor.u16(), cursor.u16()];
  if (version === 3) cursor.skip(1);
  const part = (bytes: number) => {
    const inner = cursor.part(bytes);
    if (version === 1) cursor.skip((8 - (bytes % 8)) % 8);
    return inner;
  };
  const name = part(nameBytes).string(nameBytes);
  const datatype = readDatatype(part(typeBytes));
  const shape = readDataspace(part(spaceBytes));
  return { name, datatype, shape, data: cursor.take(cursor.left) };
}

export function sharedMessage(cursor: Cursor): Error {
  return cursor.invalid(
    'each object has its own messages.',
    'a message that is shared between objects, such as a committed datatype',
    'write the file again with h5py, without committed datatypes.',
  );
}
