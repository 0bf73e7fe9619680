/** @file Datasets: their shape and type, and their values on demand. */
import { formatShape, sizeOf } from '../../core/shape.ts';
import { dtypeOf, toHostArray } from '../numbers.ts';
import type { StoredTensor } from '../storedTensor.ts';
import { type Chunk, type ChunkedLayout, readChunkIndex } from './chunkIndex.ts';
import { undefinedAddress } from './cursor.ts';
import { type Datatype, readDatatype } from './datatype.ts';
import { requireKnownFilters, undoFilters } from './filters.ts';
import {
  type Filter,
  type Layout,
  messageType,
  readDataspace,
  readFillValue,
  readFilters,
  readLayout,
  readOldFillValue,
} from './messages.ts';
import type { Message } from './objectHeader.ts';
import type { Storage } from './storage.ts';

/** Bytes of values that are nowhere in the file and become the fill value. */
const maxUnstoredBytes = 1 << 20;
/** Deflate makes at most so many bytes of one. */
const maxExpansion = 1032;

type NumberDatatype = Extract<Datatype, { kind: 'number' }>;

interface Dataset {
  readonly storage: Storage;
  readonly place: string;
  readonly shape: readonly number[];
  readonly datatype: NumberDatatype;
  readonly layout: Layout;
  readonly filters: readonly Filter[];
  readonly fill: Uint8Array<ArrayBuffer> | null;
  /** Bytes of all values. */
  readonly bytes: number;
}

/**
 * The dataset that `messages` describe. `isBfloat16`: whether its two-byte elements, which h5py knows no type for, are
 * bfloat16. Errors: FormatError for values that aren't numbers, and for sizes that the file can't hold.
 */
export function readDataset(
  storage: Storage,
  messages: readonly Message[],
  place: string,
  isBfloat16: boolean,
): StoredTensor {
  const dataset = describeDataset(storage, messages, place, isBfloat16);
  const { shape, datatype } = dataset;
  const tooLarge = ({ index, value }: { index: number; value: bigint }) =>
    storage.refuse(
      `${place}, element ${index}`,
      `integers fit into ${dtypeOf(datatype.type)}.`,
      String(value),
    );
  const readBytes = bytesReader(dataset);
  return {
    place,
    shape,
    dtype: dtypeOf(datatype.type),
    read: async (begin, end) => {
      const bytes = await readBytes(begin * datatype.bytes, end * datatype.bytes);
      return toHostArray(datatype.type, bytes, datatype.littleEndian, tooLarge);
    },
  };
}

function describeDataset(
  storage: Storage,
  messages: readonly Message[],
  place: string,
  isBfloat16: boolean,
): Dataset {
  const find = (type: number) => messages.find((message) => message.type === type)?.cursor;
  const need = (type: number, what: string) => {
    const found = find(type);
    if (found) return found;
    throw storage.refuse(place, `a dataset has its ${what}.`, 'none');
  };
  if (find(messageType.externalFiles)) {
    const hint = 'copy the values into a dataset of this file.';
    throw storage.refuse(place, 'values are in the file itself.', 'values in other files', hint);
  }
  const shape = readDataspace(need(messageType.dataspace, 'shape'));
  if (shape === null) throw storage.refuse(place, 'a dataset has a shape.', 'an empty dataspace');
  const datatype = numberDatatype(
    storage,
    readDatatype(need(messageType.datatype, 'type')),
    isBfloat16,
    place,
  );
  const layout = readLayout(need(messageType.layout, 'layout'));
  const filterMessage = find(messageType.filters);
  const filters = filterMessage ? readFilters(filterMessage) : [];
  requireKnownFilters(storage, filters, place);
  const fillMessage = find(messageType.fillValue);
  const oldFill = find(messageType.fillValueOld);
  const fill = fillMessage ? readFillValue(fillMessage) : oldFill ? readOldFillValue(oldFill) : null;
  const bytes = sizeOf(shape) * datatype.bytes;
  const dataset = { storage, place, shape, datatype, layout, filters, fill, bytes };
  requireSizes(dataset);
  return dataset;
}

function numberDatatype(
  storage: Storage,
  datatype: Datatype,
  isBfloat16: boolean,
  place: string,
): NumberDatatype {
  if (datatype.kind === 'number') return datatype;
  const { bytes } = datatype;
  if (isBfloat16 && bytes === 2) return { kind: 'number', type: 'bfloat16', bytes, littleEndian: true };
  const received = datatype.kind === 'other' ? `type '${datatype.name}'` : 'text';
  throw storage.refuse(place, 'values are integers, or floats of 16, 32 or 64 bits.', received);
}

/** Errors: FormatError unless the file can hold the values. */
function requireSizes({ storage, place, shape, layout, bytes, fill, datatype, filters }: Dataset): void {
  const refuse = (rule: string, received: string) => storage.refuse(place, rule, received);
  const declared = `${bytes} bytes for shape ${formatShape(shape)}`;
  if (!Number.isSafeInteger(bytes)) throw refuse('sizes are less than 2^53.', declared);
  if (fill && fill.length !== datatype.bytes)
    throw refuse(`the fill value has ${datatype.bytes} bytes.`, `${fill.length} bytes`);
  if (layout.kind === 'compact' && layout.bytes.length < bytes)
    throw refuse(
      `a compact dataset has all its values in its header.`,
      `${layout.bytes.length} bytes, ${declared}`,
    );
  if (layout.kind === 'contiguous') {
    if (layout.size < bytes && layout.address !== undefinedAddress)
      throw refuse('a dataset has room for its values.', `${layout.size} bytes, ${declared}`);
    if (layout.address === undefinedAddress) requireUnstored(refuse, bytes, declared);
    else storage.require(layout.address, bytes, place);
  }
  if (layout.kind !== 'chunked') {
    if (filters.length > 0) throw refuse('only chunks have filters.', `filters of a ${layout.kind} dataset`);
    return;
  }
  const isShape = layout.shape.length === shape.length && layout.shape.every((size) => size > 0);
  if (!isShape || shape.length === 0)
    throw refuse(
      'chunks have as many axes as their dataset.',
      `chunks of ${formatShape(layout.shape)} for ${formatShape(shape)}`,
    );
}

function requireUnstored(
  refuse: (rule: string, received: string) => Error,
  bytes: number,
  declared: string,
): void {
  if (bytes > maxUnstoredBytes)
    throw refuse(
      'values that a dataset declares are in the file.',
      `${declared}, of which nothing is stored`,
    );
}

/** Reads the bytes of values from one position to another. */
function bytesReader(dataset: Dataset): (begin: number, end: number) => Promise<Uint8Array<ArrayBuffer>> {
  const { storage, place, layout, bytes } = dataset;
  if (layout.kind === 'compact') return async (begin, end) => layout.bytes.subarray(begin, end);
  if (layout.kind === 'contiguous') {
    return layout.address === undefinedAddress
      ? async (begin, end) => filled(dataset, end - begin)
      : (begin, end) => storage.bytes(layout.address + begin, end - begin, place);
  }
  // Chunks lie across rows, so they are decoded once, and forgotten when the last value was read.
  let whole: Promise<Uint8Array<ArrayBuffer>> | null = null;
  return async (begin, end) => {
    whole ??= readChunks(dataset, layout);
    const all = await whole;
    if (end === bytes) whole = null;
    return all.subarray(begin, end);
  };
}

/** `count` bytes of the fill value. */
function filled({ fill }: Dataset, count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count);
  if (fill) for (let at = 0; at < count; at += fill.length) bytes.set(fill, at);
  return bytes;
}

async function readChunks(dataset: Dataset, layout: ChunkedLayout): Promise<Uint8Array<ArrayBuffer>> {
  const { storage, place, shape, datatype, filters, bytes } = dataset;
  const refuse = (rule: string, received: string) => storage.refuse(place, rule, received);
  const chunkBytes = sizeOf(layout.shape) * datatype.bytes;
  if (!Number.isSafeInteger(chunkBytes))
    throw refuse('sizes are less than 2^53.', `${chunkBytes} bytes in a chunk`);
  const isFiltered = filters.length > 0;
  const chunks = await readChunkIndex(storage, layout, shape, chunkBytes, isFiltered, place);
  const stored = chunks.reduce((sum, chunk) => sum + Math.min(chunk.bytes, storage.size), 0);
  const limit = maxUnstoredBytes + stored * maxExpansion;
  if (bytes > limit || chunks.length * chunkBytes > Math.max(limit, 2 * bytes)) {
    const declared = `${bytes} bytes for shape ${formatShape(shape)}`;
    throw refuse(
      'values that a dataset declares are in the file.',
      `${declared}, of which ${stored} are stored`,
    );
  }
  const result = filled(dataset, bytes);
  for (const chunk of chunks) {
    const raw = await storage.bytes(chunk.address, chunk.bytes, place);
    const values = await undoFilters(storage, filters, chunk.filterMask, raw, chunkBytes, place);
    copyChunk(result, values, dataset, layout.shape, chunk);
  }
  return result;
}

/** Copies the part of a chunk that is within the dataset, row by row. */
function copyChunk(
  target: Uint8Array,
  values: Uint8Array,
  { storage, place, shape, datatype }: Dataset,
  chunkShape: readonly number[],
  { offset }: Chunk,
): void {
  const isAligned = offset.every(
    (at, axis) => at % (chunkShape[axis] as number) === 0 && at < (shape[axis] as number),
  );
  if (!isAligned)
    throw storage.refuse(
      place,
      'chunks are on their grid.',
      `a chunk at ${formatShape(offset)} of ${formatShape(shape)}`,
    );
  const sizes = chunkShape.map((size, axis) =>
    Math.min(size, (shape[axis] as number) - (offset[axis] as number)),
  );
  const last = sizes.length - 1;
  const rowBytes = (sizes[last] as number) * datatype.bytes;
  const rows = sizeOf(sizes.slice(0, -1));
  const position = sizes.map(() => 0);
  for (let row = 0; row < rows; row++) {
    let [from, to] = [0, 0];
    for (let axis = 0; axis <= last; axis++) {
      const at = position[axis] as number;
      from = from * (chunkShape[axis] as number) + at;
      to = to * (shape[axis] as number) + (offset[axis] as number) + at;
    }
    target.set(values.subarray(from * datatype.bytes, from * datatype.bytes + rowBytes), to * datatype.bytes);
    for (let axis = last - 1; axis >= 0; axis--) {
      position[axis] = (position[axis] as number) + 1;
      if ((position[axis] as number) < (sizes[axis] as number)) break;
      position[axis] = 0;
    }
  }
}
