/** @file The superblock: where an HDF5 file starts, the sizes of its fields, and its root group. */
import type { ByteSource } from '../byteSource.ts';
import { fault, type FileContext } from '../formatErrors.ts';
import { hdf5Signature } from '../signatures.ts';
import { Cursor } from './cursor.ts';
import { Storage } from './storage.ts';

const superblockBytes = 96;
const place = 'the superblock';

export interface OpenedStorage {
  readonly storage: Storage;
  /** The address of the root group's object header. */
  readonly root: number;
}

/** Errors: FormatError for other files, and for one that ends before its end. */
export async function readSuperblock(source: ByteSource, context: FileContext): Promise<OpenedStorage> {
  const bytes = await source.read(0, Math.min(source.size, superblockBytes));
  const first = new Cursor(bytes, context, place, { offset: 8, length: 8 });
  if (!hdf5Signature.every((byte, i) => bytes[i] === byte)) {
    throw first.refuse(
      'an HDF5 file starts with its signature.',
      bytes.length === 0 ? 'an empty file' : `the bytes ${[...bytes.subarray(0, 8)].join(' ')}`,
      'pass a file that h5py or Keras wrote.',
    );
  }
  first.skip(hdf5Signature.length);
  const version = first.version(0, 1, 2, 3);
  if (version < 2) first.skip(4);
  const sizes = { offset: first.u8(), length: first.u8() };
  if (![sizes.offset, sizes.length].every((size) => size === 4 || size === 8)) {
    throw first.refuse('fields have 4 or 8 bytes.', `${sizes.offset} and ${sizes.length} bytes`);
  }
  const rest = new Cursor(bytes.subarray(first.position), context, place, sizes);
  const { base, end, root } = version < 2 ? readOld(rest, version) : readNew(rest);
  if (base !== 0) {
    const rule = 'the file starts with its superblock.';
    throw rest.refuse(rule, `a base address of ${base}`, 'remove the user block: h5repack -u 0.');
  }
  if (end > source.size) {
    const rule = 'the file is as long as its superblock says.';
    throw fault(context, { place, rule, received: `${source.size} bytes of ${end}: the file ends early` });
  }
  return { storage: new Storage(source, context, sizes), root };
}

function readOld(cursor: Cursor, version: number): { base: number; end: number; root: number } {
  cursor.skip(1 + 2 + 2 + 4 + (version === 1 ? 4 : 0));
  const base = cursor.address();
  cursor.address();
  const end = cursor.address();
  cursor.address();
  // The root group's entry in no symbol table: the offset of its name, which it doesn't have, and its header.
  cursor.length();
  return { base, end, root: cursor.address() };
}

function readNew(cursor: Cursor): { base: number; end: number; root: number } {
  cursor.skip(1);
  const base = cursor.address();
  cursor.address();
  return { base, end: cursor.address(), root: cursor.address() };
}
