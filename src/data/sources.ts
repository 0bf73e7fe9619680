/** @file Datasets of arrays, tensors, iterables and streams, and of other datasets. */
import { ShapeError, ValueError } from '../core/errors.ts';
import { isBranch } from '../core/nest.ts';
import { rejectExtraArguments } from '../core/options.ts';
import { describe, requireInteger } from '../core/shape.ts';
import { identity } from '../ops/arrangement/identity.ts';
import { keep } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';
import { Dataset, requireDataset } from './dataset.ts';
import { type ElementValue, freeElement, isValue, mapElement } from './element.ts';
import { isArray, lengthOf, sliceOf, valuesOf } from './rows.ts';

/** The elements of slices: of a list of components a tuple, of a record a record, of an array or tensor its items. */
export type Slices<T> = T extends Tensor | ArrayBufferView
  ? Slice<T>
  : { readonly [K in keyof T]: Slice<T[K]> };

type Slice<T> = T extends Tensor
  ? Float32Array | number
  : T extends ArrayBufferView
    ? number | T
    : T extends readonly (infer Item)[]
      ? Item
      : T extends object
        ? { readonly [K in keyof T]: Slice<T[K]> }
        : never;

/**
 * The slices of arrays along their first axis: of a pair [x, y] of arrays the pairs [x[i], y[i]], of a record of arrays records.
 * Arrays are nested lists, texts, tensors, or typed arrays, in row-major order with a property `shape`. The outermost list is
 * always a tuple, of one array too: [x]. Slices of tensors are typed arrays with a shape, read once in each pass, and numbers
 * or booleans; float16 is widened.
 *
 *     fromTensorSlices([images, labels]).shuffle(1000, { seed: 1 }).batch(32)
 *
 * Errors: ShapeError for arrays of different lengths, ValueError for what isn't an array.
 */
export function fromTensorSlices<const T>(tensors: T, ...extra: []): Dataset<Slices<T>> {
  rejectExtraArguments('fromTensorSlices', extra, ['tensors']);
  const lengths: number[] = [];
  eachComponent(tensors, (component) => lengths.push(lengthOf(component)));
  const [count = 0] = lengths;
  if (lengths.some((length) => length !== count)) throw differentLengths(lengths);
  return new Dataset(async function* () {
    const hosts = new Map<unknown, unknown>();
    for (const tensor of tensorComponents(tensors)) hosts.set(tensor, await valuesOf(tensor));
    for (let i = 0; i < count; i++) {
      const sliceAt = (component: unknown) => sliceOf(hosts.get(component) ?? component, i);
      yield eachComponent(tensors, sliceAt) as Slices<T>;
    }
  }, count);
}

/** Returns the structure of `tensors` with `map` applied to each array in it. */
function eachComponent(tensors: unknown, map: (component: unknown) => unknown, isOutermost = true): unknown {
  if (isArray(tensors, isOutermost)) return map(tensors);
  if (!isBranch(tensors)) throw notArrays(tensors);
  if (Array.isArray(tensors)) return tensors.map((part) => eachComponent(part, map, false));
  return Object.fromEntries(
    Object.entries(tensors).map(([key, part]) => [key, eachComponent(part, map, false)] as const),
  );
}

function tensorComponents(tensors: unknown): Set<Tensor> {
  const found = new Set<Tensor>();
  eachComponent(tensors, (component) => component instanceof Tensor && found.add(component));
  return found;
}

/** What a dataset can be made of: an iterable, a stream, or a function that returns one for each pass, sync or async. */
export type ElementSource<T> =
  | Iterable<T>
  | AsyncIterable<T>
  | ReadableStream<T>
  | (() => Iterable<T> | AsyncIterable<T> | ReadableStream<T> | Promise<AsyncIterable<T> | Iterable<T>>);

/**
 * The items of an iterable or a stream as elements, as they are. A function is called for each pass; use one for generators and
 * streams, which can be read only once. Tensors in a list are shared, not taken.
 *
 *     fromIterable(function* () { for (let i = 0; i < 100; i++) yield [[i], i % 2]; })
 *
 * Errors: ValueError for anything else; in a pass also for an iterator at its end.
 */
export function fromIterable<T>(items: ElementSource<T>, ...extra: []): Dataset<T> {
  rejectExtraArguments('fromIterable', extra, ['items']);
  if (typeof items !== 'function' && !isIterable(items)) throw notIterable(items);
  // A list, or a set: the same items in each pass.
  const isCollection = Array.isArray(items) || items instanceof Set;
  const count = Array.isArray(items) ? items.length : items instanceof Set ? items.size : null;
  let isUsed = false;
  return new Dataset<T>(async function* () {
    const opened = typeof items === 'function' ? await items() : items;
    if (!isIterable(opened)) throw notIterable(opened);
    if ((opened as Partial<ReadableStream>).locked === true) throw locked();
    const isOnce = typeof items !== 'function' && isIterator(opened);
    if (isOnce && isUsed) throw usedUp();
    isUsed = true;
    for await (const item of opened as AsyncIterable<T>) yield isCollection ? copyOf(item) : item;
  }, count);
}

/** Items of a list are there for the next pass, too. */
function copyOf<T>(item: T): T {
  if (isValue(item, true) && !(item instanceof Tensor)) return item;
  return mapElement(item, (value: ElementValue) =>
    value instanceof Tensor ? keep(identity(value)) : value,
  ) as T;
}

function isIterable(given: unknown): given is object {
  if (typeof given !== 'object' || given === null) return false;
  return Symbol.iterator in given || Symbol.asyncIterator in given;
}

/** Returns whether it can be iterated only once. A stream is, but says so itself. */
function isIterator(given: object): boolean {
  const own = given as Partial<Record<symbol, () => unknown>>;
  return own[Symbol.iterator]?.() === given || typeof (given as { next?: unknown }).next === 'function';
}

/** The integers from 0, or from `start`, to before `stop`. Errors: ValueError. */
export function range(stop: number): Dataset<number>;
export function range(start: number, stop: number, step?: number): Dataset<number>;
export function range(first: number, second?: number, step = 1, ...extra: unknown[]): Dataset<number> {
  rejectExtraArguments('range', extra, ['start', 'stop', 'step']);
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  requireInteger('range', 'start', start, Number.MIN_SAFE_INTEGER);
  requireInteger('range', 'stop', stop, Number.MIN_SAFE_INTEGER);
  requireInteger('range', 'step', step, step < 0 ? Number.MIN_SAFE_INTEGER : 1);
  const count = Math.max(0, Math.ceil((stop - start) / step));
  return new Dataset(async function* () {
    for (let i = 0; i < count; i++) yield start + i * step;
  }, count);
}

/** The elements of datasets, given in a list or record, side by side: [a[i], b[i]]. The shortest one ends them. */
export function zip<const T extends readonly Dataset<unknown>[] | Readonly<Record<string, Dataset<unknown>>>>(
  datasets: T,
  ...extra: []
): Dataset<{ readonly [K in keyof T]: T[K] extends Dataset<infer U> ? U : never }> {
  type Zipped = { readonly [K in keyof T]: T[K] extends Dataset<infer U> ? U : never };
  rejectExtraArguments('zip', extra, ['datasets']);
  if (!isBranch(datasets)) throw notDatasets(datasets);
  const keys = Object.keys(datasets);
  const all = keys.map((key) =>
    requireDataset('zip', (datasets as Record<string, Dataset<unknown>>)[key] as Dataset<unknown>),
  );
  if (all.length === 0) throw notDatasets(datasets);
  const counts = all.map((one) => (one as Partial<Dataset<unknown>>).cardinality ?? null);
  const count = counts.includes(null) ? null : Math.min(...(counts as number[]));
  return new Dataset(async function* () {
    const iterators = all.map((one) => one[Symbol.asyncIterator]());
    try {
      while (true) {
        const results = await nextOfAll(iterators);
        if (results.some(({ done }) => done)) {
          for (const { done, value } of results) if (!done) freeElement(value);
          return;
        }
        const values = results.map(({ value }) => value as unknown);
        const entries = keys.map((key, i) => [key, values[i]] as const);
        yield (Array.isArray(datasets) ? values : Object.fromEntries(entries)) as Zipped;
      }
    } finally {
      await Promise.all(iterators.map((iterator) => iterator.return?.()));
    }
  }, count);
}

/** The next elements of all. If one fails, the others are freed. */
async function nextOfAll(iterators: readonly AsyncIterator<unknown>[]): Promise<IteratorResult<unknown>[]> {
  const settled = await Promise.allSettled(iterators.map((iterator) => iterator.next()));
  const results = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = settled.find((one) => one.status === 'rejected');
  if (!failed) return results;
  for (const { done, value } of results) if (!done) freeElement(value);
  throw failed.reason;
}

function differentLengths(lengths: readonly number[]): ShapeError {
  return new ShapeError({
    op: 'fromTensorSlices',
    rule: 'all arrays have the same length along their first axis.',
    received: lengths.join(', '),
    hint: 'give a typed array its shape: Object.assign(pixels, { shape: [n, 28, 28] }). A list inside is one array: several are a record, { a, b }.',
  });
}

function notArrays(given: unknown): ValueError {
  return new ValueError({
    op: 'fromTensorSlices',
    rule: 'it takes an array, or a list or record of arrays: tensors, typed arrays, lists.',
    received: describe(given),
    hint: 'pass [x, y]; a single list as [x].',
  });
}

function notIterable(given: unknown): ValueError {
  return new ValueError({
    op: 'fromIterable',
    rule: 'it takes an iterable, a stream, or a function that returns one.',
    received: describe(given),
    hint: 'pass a list, or a generator function: function* () { yield [x, y]; }.',
  });
}

function locked(): ValueError {
  return new ValueError({
    op: 'fromIterable',
    rule: 'a stream is read by one reader.',
    received: 'a stream that is locked by another one',
    hint: 'pass a function that opens a stream for every pass: () => response.clone().body.',
  });
}

function usedUp(): ValueError {
  return new ValueError({
    op: 'fromIterable',
    rule: 'an iterator yields its items only once.',
    received: 'a second pass',
    hint: 'pass the generator function, which is called for every pass.',
  });
}

function notDatasets(given: unknown): ValueError {
  return new ValueError({
    op: 'zip',
    rule: 'it takes datasets, in a list or a record.',
    received: describe(given),
    hint: 'pass [images, labels].',
  });
}
