/**
 * @file The tensors of a state dictionary by name: found in the unpickled data, with their positions checked against the file.
 */
import { sizeOf } from '../../core/shape.ts';
import type { ByteSource } from '../byteSource.ts';
import { fault, type FileContext } from '../formatErrors.ts';
import { dtypeOf, type NumberType, storedBytes, toHostArray } from '../numbers.ts';
import type { StoredTensor } from '../storedTensor.ts';
import { stridedTensor, viewEnd } from '../stridedTensor.ts';
import { type PickleMap, type PickleValue, type Storage, TensorView } from './values.ts';

/** Bytes of the storages of a file. */
export interface Storages {
  readonly littleEndian: boolean;
  /** Number of bytes of a storage; null if the file has none with that key. */
  size(key: string): number | null;
  open(key: string): Promise<ByteSource>;
}

/** Keys under which checkpoints store their weights. */
const dictionaryKeys = ['state_dict', 'model_state_dict', 'model'];

/** Number of values that tensors may repeat, beyond those in their storages: views may have strides of 0. */
const maxRepeated = 1 << 24;
/** How many tensors may share a storage, on average. */
const sharing = 8;

/** Returns the tensors of a state dictionary, or of the one in a checkpoint. Errors: FormatError. */
export function tensorsOf(
  value: PickleValue,
  storages: Storages,
  context: FileContext,
): ReadonlyMap<string, StoredTensor> {
  const found = new Map<string, StoredTensor>();
  const opened = new Map<string, Promise<ByteSource>>();
  const counted = new Map<string, number>();
  const open = (key: string) => {
    const known = opened.get(key) ?? storages.open(key);
    opened.set(key, known);
    return known;
  };
  for (const [name, view] of dictionaryOf(value, context)) {
    if (typeof name !== 'string' || !(view instanceof TensorView)) continue;
    found.set(name, storedTensor(`tensor '${name}'`, view, { ...storages, open }, context));
    counted.set(view.storage.key, view.storage.count);
  }
  requireValues(found.values(), counted.values(), context);
  return found;
}

/** Errors: FormatError for tensors that together have far more values than their storages. */
function requireValues(
  tensors: Iterable<StoredTensor>,
  counts: Iterable<number>,
  context: FileContext,
): void {
  let [values, stored] = [0, 0];
  for (const { shape } of tensors) values += sizeOf(shape);
  for (const count of counts) stored += count;
  if (values <= sharing * stored + maxRepeated) return;
  throw fault(context, {
    place: 'the storages',
    rule: `tensors have at most ${sharing} times the values of their storages, which have ${stored}.`,
    received: `${values} values`,
  });
}

function dictionaryOf(value: PickleValue, context: FileContext): PickleMap {
  const inside = value instanceof Map ? dictionaryKeys.map((key) => value.get(key)) : [];
  const dictionary = [value, ...inside].find(hasTensors);
  if (dictionary) return dictionary;
  const keys =
    value instanceof Map ? [...value.keys()].filter((key) => typeof key === 'string').slice(0, 5) : [];
  throw fault(context, {
    place: 'the top',
    rule: `a file has tensors by name, or under one of ${dictionaryKeys.map((key) => `'${key}'`).join(', ')}.`,
    received:
      keys.length > 0 ? `a dictionary of ${keys.map((key) => `'${key}'`).join(', ')}` : 'other values',
    hint: 'save only the weights: torch.save(model.state_dict(), path).',
  });
}

function hasTensors(value: PickleValue | undefined): value is PickleMap {
  return value instanceof Map && (value.size === 0 || [...value.values()].some(isTensor));
}

function isTensor(value: PickleValue): boolean {
  return value instanceof TensorView;
}

function storedTensor(
  place: string,
  view: TensorView,
  storages: Storages,
  context: FileContext,
): StoredTensor {
  const { storage, type, shape } = view;
  const bytes = sizeOfStorage(storage, storages, place, context);
  const count = Math.floor(bytes / storedBytes(type));
  const elements = sizeOf(shape);
  if (!(viewEnd(view) <= count) || !(elements <= Math.max(count, maxRepeated))) {
    throw fault(context, {
      place,
      rule: `a tensor lies within its storage, which has ${count} elements.`,
      received: `shape [${shape}] with strides [${view.strides}] from element ${view.offset} on`,
    });
  }
  return stridedTensor(wholeStorage(place, storage, type, count, storages, context), view);
}

/** Errors: FormatError for a storage that isn't in the file, or whose size differs from that in the pickle. */
function sizeOfStorage(
  { key, type, count }: Storage,
  storages: Storages,
  place: string,
  context: FileContext,
): number {
  const bytes = storages.size(key);
  const expected = count * (type === null ? 1 : storedBytes(type));
  if (bytes === expected) return bytes;
  throw fault(context, {
    place,
    rule: `storage '${key}' has ${expected} bytes.`,
    received: bytes === null ? 'no such storage' : `${bytes} bytes`,
  });
}

/** Returns all elements of a storage as a vector. */
function wholeStorage(
  place: string,
  { key }: Storage,
  type: NumberType,
  count: number,
  storages: Storages,
  context: FileContext,
): StoredTensor {
  const size = storedBytes(type);
  const read: StoredTensor['read'] = async (begin, end, memory) => {
    const bytes = await (await storages.open(key)).read(begin * size, end * size, memory);
    return toHostArray(type, bytes, storages.littleEndian, ({ index, value }) =>
      fault(context, {
        place: `${place}, element ${begin + index} of its storage`,
        rule: `integers fit into ${dtypeOf(type)}.`,
        received: String(value),
        hint: 'store smaller integers.',
      }),
    );
  };
  return { place, shape: [count], dtype: dtypeOf(type), read };
}
