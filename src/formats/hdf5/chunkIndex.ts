/** @file The chunks of a dataset: where each is in the file. */
import { sizeOf } from '../../core/shape.ts';
import { leafEntries, type TreeKind } from './btree.ts';
import { undefinedAddress } from './cursor.ts';
import type { Layout } from './messages.ts';
import type { Storage } from './storage.ts';

export interface Chunk {
  /** The position of its first element in the dataset. */
  readonly offset: readonly number[];
  readonly address: number;
  /** Number of stored bytes. */
  readonly bytes: number;
  /** A bit for each filter that was skipped. */
  readonly filterMask: number;
}

export type ChunkedLayout = Extract<Layout, { kind: 'chunked' }>;

/**
 * Returns the stored chunks of a dataset of `shape`, whose unfiltered chunks have `chunkBytes` bytes. Errors: FormatError.
 */
export async function readChunkIndex(
  storage: Storage,
  { address, index, shape: chunkShape }: ChunkedLayout,
  shape: readonly number[],
  chunkBytes: number,
  isFiltered: boolean,
  place: string,
): Promise<Chunk[]> {
  if (address === undefinedAddress) return [];
  switch (index.kind) {
    case 'tree':
      return readTree(storage, address, shape.length, place);
    case 'single': {
      const offset = shape.map(() => 0);
      return [{ offset, address, bytes: index.bytes ?? chunkBytes, filterMask: index.filterMask }];
    }
    case 'implicit':
      return inOrder(storage, shape, chunkShape, chunkBytes, place).map((offset, i) => ({
        offset,
        address: address + i * chunkBytes,
        bytes: chunkBytes,
        filterMask: 0,
      }));
    case 'fixedArray':
      return readFixedArray(
        storage,
        address,
        inOrder(storage, shape, chunkShape, storage.sizes.offset, place),
        chunkBytes,
        isFiltered,
        place,
      );
    case 'other':
      throw storage.invalid(
        place,
        'chunks are found by a B-tree of version 1 or a fixed array.',
        index.name,
        "write the file again without libver='latest' (h5py).",
      );
  }
}

async function readTree(storage: Storage, root: number, rank: number, place: string): Promise<Chunk[]> {
  const kind: TreeKind<Chunk> = {
    type: 1,
    of: 'chunks',
    entryBytes: 8 + 8 * (rank + 1) + storage.sizes.offset,
    trailingBytes: 0,
    read: (cursor) => {
      const [bytes, filterMask] = [cursor.u32(), cursor.u32()];
      const offset = Array.from({ length: rank }, () => cursor.unsigned(8));
      cursor.skip(8);
      return { offset, address: cursor.address(), bytes, filterMask };
    },
  };
  const chunks: Chunk[] = [];
  for await (const chunk of leafEntries(storage, root, kind, place)) chunks.push(chunk);
  return chunks;
}

/**
 * Returns the positions of the chunks in row-major order. Errors: FormatError if the file can't hold `bytesEach` bytes for each.
 */
function inOrder(
  storage: Storage,
  shape: readonly number[],
  chunkShape: readonly number[],
  bytesEach: number,
  place: string,
): number[][] {
  const counts = shape.map((size, axis) => Math.ceil(size / (chunkShape[axis] as number)));
  const total = sizeOf(counts);
  if (!(total * bytesEach <= storage.size))
    throw storage.invalid(place, 'every chunk is in the file.', `${total} chunks`);
  return Array.from({ length: total }, (_, index) => {
    const offset: number[] = [];
    let rest = index;
    for (let axis = counts.length - 1; axis >= 0; axis--) {
      const count = counts[axis] as number;
      offset[axis] = (rest % count) * (chunkShape[axis] as number);
      rest = Math.floor(rest / count);
    }
    return offset;
  });
}

async function readFixedArray(
  storage: Storage,
  address: number,
  offsets: readonly number[][],
  chunkBytes: number,
  isFiltered: boolean,
  place: string,
): Promise<Chunk[]> {
  const { offset: addressBytes, length: lengthBytes } = storage.sizes;
  const header = await storage.cursor(address, 8 + lengthBytes + addressBytes, place);
  header.expect('FAHD');
  header.version(0);
  header.skip(1);
  const entryBytes = header.u8();
  const pageBits = header.u8();
  const count = header.length();
  const data = header.address();
  if (data === undefinedAddress) return [];
  if (count < offsets.length || count > 2 ** pageBits) {
    const rule = 'the array of chunks has an entry for each chunk, in one page.';
    throw header.invalid(rule, `${count} entries for ${offsets.length} chunks`, 'use fewer chunks.');
  }
  const cursor = await storage.cursor(data, 6 + addressBytes + count * entryBytes, place);
  cursor.expect('FADB');
  cursor.skip(2 + addressBytes);
  const sizeBytes = entryBytes - addressBytes - 4;
  const chunks = offsets.map((offset) => ({
    offset,
    address: cursor.address(),
    bytes: isFiltered ? cursor.unsigned(sizeBytes) : chunkBytes,
    filterMask: isFiltered ? cursor.u32() : 0,
  }));
  return chunks.filter((chunk) => chunk.address !== undefinedAddress);
}
