/** @file Files of `torch.save` since PyTorch 1.6: a zip archive of a pickle, and a file for each storage. */
import { describe } from '../../core/shape.ts';
import type { ByteSource } from '../byteSource.ts';
import { fault, type FileContext } from '../formatErrors.ts';
import type { StoredTensor } from '../storedTensor.ts';
import { torchPickleName } from '../signatures.ts';
import type { ZipArchive } from '../zip/index.ts';
import { isCount } from './globals.ts';
import { readPickle } from './pickle.ts';
import { type Storages, tensorsOf } from './stateDict.ts';
import { Global, type PickleValue, Storage } from './values.ts';

/** Limit of the pickle: far larger than the description of any model. */
export const maxPickleBytes = 16 << 20;

/**
 * Returns the tensors of the files in folder `root` of an archive. Errors: FormatError for a damaged file; UnsafeModelError for
 * one that has more than tensors.
 */
export async function openTorchArchive(
  archive: ZipArchive,
  root: string,
  operations?: number,
): Promise<ReadonlyMap<string, StoredTensor>> {
  const context: FileContext = { ...archive.context, format: 'PyTorch' };
  const place = `entry '${root}${torchPickleName}'`;
  const bytes = await readEntry(archive, `${root}${torchPickleName}`, maxPickleBytes, context);
  const { value, end } = readPickle(bytes, { context, place, operations, storage: storageOf });
  if (end !== bytes.length)
    throw fault(context, {
      place,
      rule: 'the entry ends with the pickle.',
      received: `${bytes.length - end} bytes after it`,
    });
  const storages: Storages = {
    littleEndian: await isLittleEndian(archive, root, context),
    size: (key) => archive.size(`${root}data/${key}`),
    open: async (key) => (await archive.entry(`${root}data/${key}`)) as ByteSource,
  };
  return tensorsOf(value, storages, context);
}

/** Returns whether values are little-endian, as they are in older files, which don't state it. */
async function isLittleEndian(archive: ZipArchive, root: string, context: FileContext): Promise<boolean> {
  const name = `${root}byteorder`;
  if (archive.size(name) === null) return true;
  const order = new TextDecoder().decode(await readEntry(archive, name, 16, context));
  if (order === 'little' || order === 'big') return order === 'little';
  throw fault(context, {
    place: `entry '${name}'`,
    rule: "the order of bytes is 'little' or 'big'.",
    received: describe(order),
  });
}

async function readEntry(
  archive: ZipArchive,
  name: string,
  limit: number,
  context: FileContext,
): Promise<Uint8Array<ArrayBuffer>> {
  const size = archive.size(name) ?? 0;
  if (size > limit) {
    throw fault(context, {
      place: `entry '${name}'`,
      rule: `it has at most ${limit} bytes.`,
      received: `${size} bytes`,
    });
  }
  const entry = (await archive.entry(name)) as ByteSource;
  return entry.read(0, entry.size);
}

/**
 * Returns the storage for ('storage', type, key, device, elements). Views of storages, which only older files have, are
 * rejected.
 */
export function storageOf(id: readonly PickleValue[]): Storage | undefined {
  const [kind, type, key, , count, view = null] = id;
  const isValid = kind === 'storage' && typeof key === 'string' && isCount(count) && view === null;
  if (!isValid || !(type instanceof Global) || type.meaning.kind !== 'storage') return undefined;
  return new Storage(key, type.meaning.type, count);
}
