/** @file The values of a chunked dataset, decoded a slab at a time: all chunks with the same rows. */
import { formatShape, sizeOf } from '../../core/shape.ts';
import { joinedBytes } from '../joinedBytes.ts';
import { type Chunk, type ChunkedLayout, readChunkIndex } from './chunkIndex.ts';
import { undoFilters } from './filters.ts';
import type { Filter } from './messages.ts';
import { maxExpansion, type Storage } from './storage.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export interface ChunkedDataset {
  readonly storage: Storage;
  readonly place: string;
  readonly shape: readonly number[];
  readonly elementBytes: number;
  readonly layout: ChunkedLayout;
  readonly filters: readonly Filter[];
  readonly fill: Bytes | null;
  /** Bytes of all values. */
  readonly bytes: number;
}

/** Limit of the bytes of values that aren't stored in the file and become the fill value. */
export const maxUnstoredBytes = 1 << 20;

/** Errors: FormatError for chunks that don't fit the dataset. */
export function requireChunks({ storage, place, shape, elementBytes, layout }: ChunkedDataset): void {
  const isShape = layout.shape.length === shape.length && layout.shape.every((size) => size > 0);
  if (!isShape || shape.length === 0)
    throw storage.invalid(
      place,
      'chunks have as many axes as their dataset.',
      `chunks of ${formatShape(layout.shape)} for ${formatShape(shape)}`,
    );
  const chunkBytes = sizeOf(layout.shape) * elementBytes;
  if (!Number.isSafeInteger(chunkBytes))
    throw storage.invalid(place, 'sizes are less than 2^53.', `${chunkBytes} bytes in a chunk`);
}

export interface ChunkedReader {
  /** Errors: FormatError if the chunks can't hold the values that the dataset declares. */
  verify(): Promise<void>;
  /** The bytes of values from one position to another. The last slab is kept until the last value was read. */
  read(begin: number, end: number): Promise<Bytes>;
}

export function chunkedReader(dataset: ChunkedDataset): ChunkedReader {
  const { shape, layout, bytes } = dataset;
  const rowBytes = bytes / Math.max(1, shape[0] as number);
  const slabBytes = rowBytes * (layout.shape[0] as number);
  let index: Promise<ReadonlyMap<number, Chunk[]>> | null = null;
  let last: { readonly number: number; readonly bytes: Bytes } | null = null;
  const findOnce = () => {
    index ??= findChunks(dataset);
    return index;
  };
  const slabAt = async (number: number) => {
    if (last?.number === number) return last.bytes;
    const chunks = (await findOnce()).get(number * (layout.shape[0] as number)) ?? [];
    const decoded = await readSlab(dataset, chunks, Math.min(slabBytes, bytes - number * slabBytes));
    last = { number, bytes: decoded };
    return decoded;
  };
  const read = async (begin: number, end: number) => {
    if (begin === end) return new Uint8Array();
    const parts: Bytes[] = [];
    for (let number = Math.floor(begin / slabBytes); number * slabBytes < end; number++) {
      const start = number * slabBytes;
      const slab = await slabAt(number);
      parts.push(slab.subarray(Math.max(0, begin - start), Math.min(slab.length, end - start)));
    }
    if (end === bytes) [index, last] = [null, null];
    return joinedBytes(parts, end - begin);
  };
  const verify = async () => {
    await findOnce();
  };
  return { verify, read };
}

/** Returns `count` bytes of the fill value. */
export function filled(fill: Bytes | null, count: number): Bytes {
  const bytes = new Uint8Array(count);
  if (fill) for (let at = 0; at < count; at += fill.length) bytes.set(fill, at);
  return bytes;
}

/** Returns the stored chunks by their first row. Errors: FormatError. */
async function findChunks(dataset: ChunkedDataset): Promise<ReadonlyMap<number, Chunk[]>> {
  const { storage, place, shape, elementBytes, layout, filters, bytes } = dataset;
  const chunkBytes = sizeOf(layout.shape) * elementBytes;
  const chunks = await readChunkIndex(storage, layout, shape, chunkBytes, filters.length > 0, place);
  const stored = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  if (stored > storage.size)
    throw storage.invalid(
      place,
      'each chunk has bytes of its own.',
      `${stored} bytes in chunks, in a file of ${storage.size}`,
    );
  const limit = maxUnstoredBytes + stored * maxExpansion;
  if (bytes > limit || chunks.length * chunkBytes > Math.max(limit, 2 * bytes))
    throw tooLarge(storage, place, shape, bytes, stored);
  storage.declare(bytes, filters.length > 0, place);
  const byRow = new Map<number, Chunk[]>();
  for (const chunk of chunks) {
    requireAligned(dataset, chunk);
    const row = chunk.offset[0] as number;
    const inSlab = byRow.get(row);
    if (inSlab) inSlab.push(chunk);
    else byRow.set(row, [chunk]);
  }
  return byRow;
}

function tooLarge(
  storage: Storage,
  place: string,
  shape: readonly number[],
  bytes: number,
  stored: number,
): Error {
  return storage.invalid(
    place,
    'values that a dataset declares are in the file.',
    `${bytes} bytes for shape ${formatShape(shape)}, of which ${stored} are stored`,
  );
}

function requireAligned({ storage, place, shape, layout }: ChunkedDataset, { offset }: Chunk): void {
  const isAligned = offset.every(
    (at, axis) => at % (layout.shape[axis] as number) === 0 && at < (shape[axis] as number),
  );
  if (isAligned) return;
  throw storage.invalid(
    place,
    'chunks are on their grid.',
    `a chunk at ${formatShape(offset)} of ${formatShape(shape)}`,
  );
}

async function readSlab(dataset: ChunkedDataset, chunks: readonly Chunk[], bytes: number): Promise<Bytes> {
  const { storage, place, elementBytes, layout, filters, fill } = dataset;
  const chunkBytes = sizeOf(layout.shape) * elementBytes;
  const result = filled(fill, bytes);
  for (const chunk of chunks) {
    const raw = await storage.bytes(chunk.address, chunk.bytes, place);
    const values = await undoFilters(storage, filters, chunk.filterMask, raw, chunkBytes, place);
    copyChunk(result, values, dataset, chunk);
  }
  return result;
}

/** Copies the part of a chunk that is within the dataset into its slab, row by row. */
function copyChunk(
  slab: Uint8Array,
  values: Uint8Array,
  { shape, elementBytes, layout }: ChunkedDataset,
  { offset }: Chunk,
): void {
  const sizes = layout.shape.map((size, axis) =>
    Math.min(size, (shape[axis] as number) - (offset[axis] as number)),
  );
  const last = sizes.length - 1;
  const rowBytes = (sizes[last] as number) * elementBytes;
  const rows = sizeOf(sizes.slice(0, -1));
  const position = sizes.map(() => 0);
  for (let row = 0; row < rows; row++) {
    let [from, to] = [0, 0];
    for (let axis = 0; axis <= last; axis++) {
      const at = position[axis] as number;
      from = from * (layout.shape[axis] as number) + at;
      // A slab begins with the first row of its chunks.
      to = to * (shape[axis] as number) + (axis === 0 ? 0 : (offset[axis] as number)) + at;
    }
    slab.set(values.subarray(from * elementBytes, from * elementBytes + rowBytes), to * elementBytes);
    for (let axis = last - 1; axis >= 0; axis--) {
      position[axis] = (position[axis] as number) + 1;
      if ((position[axis] as number) < (sizes[axis] as number)) break;
      position[axis] = 0;
    }
  }
}
