/** @file The superblock: where an HDF5 file starts, the sizes of its fields, and its root group. */
import { type ByteSource, rangeSource } from '../byteSource.ts';
import { findHdf5 } from '../detect.ts';
import { fault, type FileContext } from '../formatErrors.ts';
import { hdf5Signature } from '../signatures.ts';
import { Cursor } from './cursor.ts';
import { Storage } from './storage.ts';

const superblockBytes = 96;
const place = 'the superblock';

interface OpenedStorage {
  readonly storage: Storage;
  /** The address of the root group's object header. */
  readonly root: number;
}

/**
 * Bytes before the superblock belong to the user; addresses count from the superblock. Errors: FormatError for other files,
 * and for a truncated one.
 */
export async function readSuperblock(file: ByteSource, context: FileContext): Promise<OpenedStorage> {
  const begin = (await findHdf5(file)) ?? 0;
  const source = begin === 0 ? file : rangeSource(file, begin, file.size, file.name);
  const bytes = await source.read(0, Math.min(source.size, superblockBytes));
  const first = new Cursor(bytes, context, place, { offset: 8, length: 8 });
  if (!hdf5Signature.every((byte, i) => bytes[i] === byte)) {
    throw first.invalid(
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
    throw first.invalid('fields have 4 or 8 bytes.', `${sizes.offset} and ${sizes.length} bytes`);
  }
  const rest = new Cursor(bytes.subarray(first.position), context, place, sizes);
  const { end, root } = version < 2 ? readOld(rest, version) : readNew(rest);
  // The end is counted from the start of the file, unlike addresses.
  if (end > file.size) {
    const rule = 'the file is as long as its superblock says.';
    throw fault(context, { place, rule, received: `${file.size} bytes of ${end}: the file ends early` });
  }
  return { storage: new Storage(source, context, sizes), root };
}

function readOld(cursor: Cursor, version: number): { end: number; root: number } {
  cursor.skip(1 + 2 + 2 + 4 + (version === 1 ? 4 : 0));
  // The base address, which is that of the superblock, and the address of the free space.
  cursor.address();
  cursor.address();
  const end = cursor.address();
  cursor.address();
  // The root group's symbol table entry: the offset of its name, which it doesn't have, and its header.
  cursor.length();
  return { end, root: cursor.address() };
}

function readNew(cursor: Cursor): { end: number; root: number } {
  cursor.skip(1);
  // The base address, which is that of the superblock, and the address of its extension.
  cursor.address();
  cursor.address();
  return { end: cursor.address(), root: cursor.address() };
}
