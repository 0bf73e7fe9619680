/** @file Datasets: their shape and type, and their values on demand. */
import { formatShape, sizeOf } from '../../core/shape.ts';
import { dtypeOf, toHostArray } from '../numbers.ts';
import type { ReadMemory } from '../readMemory.ts';
import type { StoredTensor } from '../storedTensor.ts';
import {
  type ChunkedDataset,
  chunkedReader,
  filled,
  maxUnstoredBytes,
  requireChunks,
} from './chunkedValues.ts';
import { undefinedAddress } from './cursor.ts';
import { type Datatype, readDatatype } from './datatype.ts';
import { requireKnownFilters } from './filters.ts';
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
 * Returns the dataset that `messages` describe. `isBfloat16`: whether its two-byte elements, which h5py knows no type for, are
 * bfloat16. Errors: FormatError for values that aren't numbers, and for sizes that the file can't hold.
 */
export function readDataset(
  storage: Storage,
  messages: readonly Message[],
  place: string,
  isBfloat16: boolean,
): StoredTensor {
  const dataset = describeDataset(storage, messages, place, isBfloat16);
  const { shape, datatype, layout, bytes } = dataset;
  // The stored bytes of chunks are known only once their index is read.
  if (layout.kind !== 'chunked') storage.declare(bytes, false, place);
  const tooLarge = ({ index, value }: { index: number; value: bigint }) =>
    storage.invalid(
      `${place}, element ${index}`,
      `integers fit into ${dtypeOf(datatype.type)}.`,
      String(value),
    );
  const chunks = layout.kind === 'chunked' ? chunkedReader(chunkedOf(dataset, layout)) : null;
  const readBytes = chunks ? chunks.read : bytesReader(dataset);
  const { type, littleEndian } = datatype;
  const isNarrow = (type === 'float16' || type === 'bfloat16') && littleEndian;
  return {
    place,
    shape,
    dtype: dtypeOf(datatype.type),
    ...(chunks && { verify: chunks.verify }),
    read: async (begin, end, memory) => {
      const stored = await readBytes(begin * datatype.bytes, end * datatype.bytes, memory);
      return toHostArray(type, stored, littleEndian, tooLarge);
    },
    ...(isNarrow && {
      bits: {
        format: type,
        read: async (begin, end, memory) => inShorts(await readBytes(2 * begin, 2 * end, memory)),
      },
    }),
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
    throw storage.invalid(place, `a dataset has its ${what}.`, 'none');
  };
  if (find(messageType.externalFiles)) {
    const hint = 'copy the values into a dataset of this file.';
    throw storage.invalid(place, 'values are in the file itself.', 'values in other files', hint);
  }
  const shape = readDataspace(need(messageType.dataspace, 'shape'));
  if (shape === null) throw storage.invalid(place, 'a dataset has a shape.', 'an empty dataspace');
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
  throw storage.invalid(place, 'values are integers, or floats of 16, 32 or 64 bits.', received);
}

/** Errors: FormatError unless the file can hold the values. */
function requireSizes(dataset: Dataset): void {
  const { storage, place, shape, layout, bytes, fill, datatype, filters } = dataset;
  const invalid = (rule: string, received: string) => storage.invalid(place, rule, received);
  const declared = `${bytes} bytes for shape ${formatShape(shape)}`;
  if (!Number.isSafeInteger(bytes)) throw invalid('sizes are less than 2^53.', declared);
  if (fill && fill.length !== datatype.bytes)
    throw invalid(`the fill value has ${datatype.bytes} bytes.`, `${fill.length} bytes`);
  if (layout.kind === 'compact' && layout.bytes.length < bytes)
    throw invalid(
      `a compact dataset has all its values in its header.`,
      `${layout.bytes.length} bytes, ${declared}`,
    );
  if (layout.kind === 'contiguous') {
    if (layout.size < bytes && layout.address !== undefinedAddress)
      throw invalid('a dataset has room for its values.', `${layout.size} bytes, ${declared}`);
    if (layout.address === undefinedAddress) requireUnstored(invalid, bytes, declared);
    else storage.require(layout.address, bytes, place);
  }
  if (layout.kind === 'chunked') requireChunks(chunkedOf(dataset, layout));
  else if (filters.length > 0)
    throw invalid('only chunks have filters.', `filters of a ${layout.kind} dataset`);
}

function chunkedOf(dataset: Dataset, layout: ChunkedDataset['layout']): ChunkedDataset {
  return { ...dataset, layout, elementBytes: dataset.datatype.bytes };
}

function requireUnstored(
  invalid: (rule: string, received: string) => Error,
  bytes: number,
  declared: string,
): void {
  if (bytes > maxUnstoredBytes)
    throw invalid(
      'values that a dataset declares are in the file.',
      `${declared}, of which nothing is stored`,
    );
}

/** Reads the bytes of values from one position to another, if they aren't chunked. */
function bytesReader(
  dataset: Dataset,
): (begin: number, end: number, memory?: ReadMemory) => Promise<Uint8Array<ArrayBuffer>> {
  const { storage, place, layout, fill } = dataset;
  if (layout.kind === 'compact') return async (begin, end) => layout.bytes.subarray(begin, end);
  return layout.address === undefinedAddress
    ? async (begin, end) => filled(fill, end - begin)
    : (begin, end, memory) => storage.bytes(layout.address + begin, end - begin, place, memory);
}

/** Elements of two bytes; if possible, as a view. */
function inShorts({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Uint16Array<ArrayBuffer> {
  if (byteOffset % 2 === 0) return new Uint16Array(buffer, byteOffset, byteLength / 2);
  return new Uint16Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
