/**
 * @file Files of `torch.save` before PyTorch 1.6, the format of torchvision's older networks: pickles one after the other
 * (magic number, version, system, dictionary, keys of storages), then the storages, each after its number of elements.
 */
import { type ByteSource, rangeSource } from '../byteSource.ts';
import { fault, type FileContext } from '../formatErrors.ts';
import { storedBytes } from '../numbers.ts';
import type { StoredTensor } from '../storedTensor.ts';
import { maxPickleBytes, storageOf } from './archive.ts';
import { readPickle } from './pickle.ts';
import { type Storages, tensorsOf } from './stateDict.ts';
import type { PickleValue, Storage } from './values.ts';

const magicNumber = 0x1950a86a20f9469cfc6cn;
const protocolVersion = 1001;

/** Bytes of the number of elements in front of a storage. */
const lengthBytes = 8;

/** Errors: FormatError for a damaged file; UnsafeModelError for one that has more than tensors. */
export async function openLegacyTorch(
  source: ByteSource,
  operations?: number,
): Promise<ReadonlyMap<string, StoredTensor>> {
  const context: FileContext = { file: source.name, format: 'PyTorch before 1.6' };
  const bytes = await source.read(0, Math.min(source.size, maxPickleBytes));
  const mentioned = new Map<string, Storage>();
  const storage = (id: readonly PickleValue[]) => {
    const found = storageOf(id);
    if (found && !mentioned.has(found.key)) mentioned.set(found.key, found);
    return found;
  };
  let end = 0;
  const next = (place: string) => {
    const read = readPickle(bytes, { context, place, operations, storage }, end);
    end = read.end;
    return read.value;
  };
  requireSame(next('the magic number'), magicNumber, 'the magic number', context);
  requireSame(next('the version'), protocolVersion, 'the version', context);
  next('the system');
  const dictionary = next('the dictionary');
  const keys = next('the keys of storages');
  const ranges = await findStorages(source, end, keys, mentioned, context);
  const storages: Storages = {
    // The format is little-endian on all machines.
    littleEndian: true,
    size: (key) => ranges.get(key)?.size ?? null,
    open: async (key) => ranges.get(key) as ByteSource,
  };
  return tensorsOf(dictionary, storages, context);
}

/** Returns where the storages are, in the order of their keys. */
async function findStorages(
  source: ByteSource,
  begin: number,
  keys: PickleValue,
  mentioned: ReadonlyMap<string, Storage>,
  context: FileContext,
): Promise<ReadonlyMap<string, ByteSource>> {
  const place = 'the storages';
  const invalid = (rule: string, received: string) => fault(context, { place, rule, received });
  if (!Array.isArray(keys)) throw invalid('storages are listed by their keys.', 'no list');
  const ranges = new Map<string, ByteSource>();
  let at = begin;
  for (const key of keys as readonly PickleValue[]) {
    const storage = typeof key === 'string' ? mentioned.get(key) : undefined;
    if (!storage || ranges.has(storage.key))
      throw invalid('each storage belongs to tensors of the dictionary, and is listed once.', 'another key');
    const bytes = storage.count * (storage.type === null ? 1 : storedBytes(storage.type));
    const data = at + lengthBytes;
    if (!(data + bytes <= source.size))
      throw invalid('storages end within the file.', `${bytes} bytes at ${data}`);
    const length = await source.read(at, data);
    const count = new DataView(length.buffer, length.byteOffset, lengthBytes).getBigUint64(0, true);
    if (count !== BigInt(storage.count))
      throw invalid(`storage '${storage.key}' has ${storage.count} elements.`, String(count));
    ranges.set(storage.key, rangeSource(source, data, data + bytes, source.name));
    at = data + bytes;
  }
  if (at !== source.size)
    throw invalid('every byte belongs to a storage.', `${source.size - at} bytes after the last`);
  return ranges;
}

function requireSame(
  found: PickleValue,
  expected: number | bigint,
  place: string,
  context: FileContext,
): void {
  if (found === expected) return;
  throw fault(context, { place, rule: `it is ${expected}.`, received: 'another value' });
}
