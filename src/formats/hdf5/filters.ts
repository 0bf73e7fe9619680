/** @file Undoes the filters of chunks: deflate, shuffle, and the checksum fletcher32. */
import { inflate } from '../inflate.ts';
import type { Filter } from './messages.ts';
import type { Storage } from './storage.ts';

const checksumBytes = 4;

/** Number of words whose sums can't exceed 32 bits. */
const blockWords = 360;

/**
 * Returns the bytes before the checksum of the filter fletcher32, which are the last four. `invalid` creates the error for a wrong
 * checksum.
 */
function withoutChecksum(
  bytes: Uint8Array<ArrayBuffer>,
  invalid: (received: string) => Error,
): Uint8Array<ArrayBuffer> {
  const end = bytes.length - checksumBytes;
  if (end < 0) throw invalid('no room for a checksum');
  const stored = new DataView(bytes.buffer, bytes.byteOffset + end).getUint32(0, true);
  const data = bytes.subarray(0, end);
  const found = fletcher32(data);
  if (stored !== found && stored !== swapped(found)) throw invalid('bytes of another checksum');
  return data;
}

/** Fletcher's checksum of big-endian words of 16 bits; a last single byte is the upper half of one. */
function fletcher32(bytes: Uint8Array): number {
  let [sum, sumOfSums] = [0, 0];
  for (let begin = 0; begin < bytes.length; begin += 2 * blockWords) {
    const end = Math.min(bytes.length, begin + 2 * blockWords);
    for (let i = begin; i < end; i += 2) {
      sum += ((bytes[i] as number) << 8) | (bytes[i + 1] ?? 0);
      sumOfSums += sum;
    }
    sum = folded(sum);
    sumOfSums = folded(sumOfSums);
  }
  return ((folded(sumOfSums) << 16) | folded(sum)) >>> 0;
}

/** One step of the reduction modulo 65535. */
function folded(sum: number): number {
  return (sum & 0xffff) + (sum >>> 16);
}

/** Early versions of HDF5 wrote the bytes of each half in the other order. */
function swapped(checksum: number): number {
  return (((checksum & 0x00ff00ff) << 8) | ((checksum >>> 8) & 0x00ff00ff)) >>> 0;
}

const deflate = 1;
const shuffle = 2;
const checksum = 3;
const known: ReadonlySet<number> = new Set([deflate, shuffle, checksum]);

/** The names of filters that are known but not read. */
const names: Readonly<Record<number, string>> = {
  4: 'szip',
  5: 'nbit',
  6: 'scaleoffset',
  32000: 'lzf',
};

/** Errors: FormatError for a filter that can't be undone. */
export function requireKnownFilters(storage: Storage, filters: readonly Filter[], place: string): void {
  const unknown = filters.find(({ id }) => !known.has(id));
  if (!unknown) return;
  throw storage.invalid(
    place,
    'values are stored as they are, or by gzip, shuffle and fletcher32.',
    `filter ${unknown.id}${Object.hasOwn(names, unknown.id) ? ` (${names[unknown.id]})` : ''}`,
    "write the dataset again with compression='gzip', or without compression.",
  );
}

/** Returns the `length` bytes of a chunk. `mask` has a bit for each filter that was skipped. Errors: FormatError. */
export async function undoFilters(
  storage: Storage,
  filters: readonly Filter[],
  mask: number,
  stored: Uint8Array<ArrayBuffer>,
  length: number,
  place: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const invalid = (received: string) =>
    storage.invalid(place, `a chunk holds ${length} bytes once its filters are undone.`, received);
  const used = filters.filter((_, i) => (mask & (1 << i)) === 0);
  let bytes = stored;
  for (const [i, { id, values }] of [...used.entries()].reverse()) {
    if (id === deflate) {
      const checksums = used.slice(0, i).filter((filter) => filter.id === checksum).length;
      bytes = await inflate(bytes, 'deflate', length + checksums * checksumBytes, invalid);
    } else bytes = id === checksum ? withoutChecksum(bytes, invalid) : unshuffled(bytes, values[0] ?? 1);
  }
  if (bytes.length !== length) throw invalid(`${bytes.length} bytes`);
  return bytes;
}

/** Shuffle puts the first bytes of all elements first, then the second bytes, and so on. */
function unshuffled(bytes: Uint8Array<ArrayBuffer>, elementBytes: number): Uint8Array<ArrayBuffer> {
  const count = Math.floor(bytes.length / elementBytes);
  if (elementBytes <= 1 || count <= 1) return bytes;
  const result = new Uint8Array(bytes.length);
  for (let byte = 0; byte < elementBytes; byte++) {
    const from = byte * count;
    for (let i = 0; i < count; i++) result[i * elementBytes + byte] = bytes[from + i] as number;
  }
  result.set(bytes.subarray(count * elementBytes), count * elementBytes);
  return result;
}
