/** @file Dataset: a sequence of elements, made again in each pass, with the methods of tf.data. */
import { requireFunction } from '../core/arguments.ts';
import { ValueError } from '../core/errors.ts';
import { type OptionNames, optionsOf, rejectExtraArguments, type Settings } from '../core/options.ts';
import { describe, requireBoolean, requireInteger } from '../core/shape.ts';
import { identity } from '../ops/arrangement/identity.ts';
import { checkSeed, freshSeed } from '../ops/define/seeds.ts';
import { keep } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';
import { batchElements, type Batched } from './batching.ts';
import { mapElement } from './element.ts';
import { padElements, type PaddingOptions } from './padding.ts';
import {
  type Elements,
  filtered,
  grouped,
  mapped,
  type Predicate,
  prefetched,
  repeated,
  shuffled,
  skipped,
  taken,
  windowed,
} from './steps.ts';

/** Options of `map`. */
export interface MapOptions {
  /** How many elements an async function may work on at a time; their order stays. Default 1. */
  numParallelCalls?: number;
}

/** Options of `shuffle`. */
export interface ShuffleElementsOptions {
  /** Makes the order reproducible. Default: a new seed for the dataset. */
  seed?: number | null;
  /** Whether each pass has another order. Default true. */
  reshuffleEachIteration?: boolean;
}

/** Options of `batch`. */
export interface BatchOptions {
  /** Whether a smaller batch at the end is left out. Default false. */
  dropRemainder?: boolean;
}

/** Options of `paddedBatch`. */
export interface PaddedBatchOptions extends PaddingOptions, BatchOptions {}

/** Options of `window`. */
export interface WindowOptions {
  /** How many elements later the next window begins. Default: the size. */
  shift?: number | null;
  /** Distance between the elements of a window. Default 1. */
  stride?: number;
  /** Whether windows with fewer elements at the end are left out. Default false. */
  dropRemainder?: boolean;
}

const mapNames: OptionNames<MapOptions> = { numParallelCalls: true };
const shuffleNames: OptionNames<ShuffleElementsOptions> = { seed: true, reshuffleEachIteration: true };
const batchNames: OptionNames<BatchOptions> = { dropRemainder: true };
const paddedNames: OptionNames<PaddedBatchOptions> = {
  paddedShapes: true,
  paddingValues: true,
  dropRemainder: true,
};
const windowNames: OptionNames<WindowOptions> = { shift: true, stride: true, dropRemainder: true };

/**
 * A sequence of elements, made again in each pass: `for await (const element of dataset)`. Nothing is made before it is asked for.
 * An element is a value (a number, a typed array, a tensor, a text), or a list such as [x, y] or a record of values. The tensors
 * of an element belong to the code that takes it: `fit` frees them after their step, a method those that it doesn't pass on.
 *
 * `fit`, `evaluate` and `predict` take a dataset whose elements are batches.
 */
export class Dataset<T> implements AsyncIterable<T> {
  readonly #open: () => Elements<T>;
  /** The number of elements: Infinity if they are repeated forever, null if unknown. */
  readonly cardinality: number | null;

  /** Use `fromIterable` to make a dataset of your own. `open` begins a pass. */
  constructor(open: () => AsyncIterable<T>, cardinality: number | null = null) {
    requireFunction('Dataset', 'open', open);
    this.#open = open;
    this.cardinality = cardinality;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    const opened: unknown = this.#open();
    return requireDataset('Dataset', opened as AsyncIterable<T>)[Symbol.asyncIterator]();
  }

  /**
   * The elements `fn` of each element; `fn` may be async. Of a synchronous `fn`, tensors that aren't in the result are freed. Its
   * result owns its tensors: return copies (`identity`) of tensors that you need yourself.
   * Errors: ValueError for what isn't a function.
   */
  map<R>(
    fn: (element: T) => R | Promise<R>,
    ...settings: Settings<MapOptions, ['numParallelCalls']>
  ): Dataset<R> {
    requireFunction('map', 'fn', fn);
    const { numParallelCalls = 1 }: MapOptions = optionsOf('map', settings, mapNames, ['fn']);
    requireInteger('map', 'numParallelCalls', numParallelCalls, 1);
    return new Dataset(() => mapped(this, fn, numParallelCalls), this.cardinality);
  }

  /** The elements for which `predicate` returns true, or a tensor that is. Errors: ValueError for what isn't a function. */
  filter(predicate: Predicate<T>, ...extra: []): Dataset<T> {
    requireFunction('filter', 'predicate', predicate);
    rejectExtraArguments('filter', extra, ['predicate']);
    return new Dataset(() => filtered(this, predicate));
  }

  /**
   * The elements in random order: each is drawn from `bufferSize` elements, so that a buffer of all gives any order. The same seed
   * gives the same orders, another one for each pass.
   * Errors: ValueError.
   */
  shuffle(
    bufferSize: number,
    ...settings: Settings<ShuffleElementsOptions, ['seed', 'reshuffleEachIteration']>
  ): Dataset<T> {
    const options: ShuffleElementsOptions = optionsOf('shuffle', settings, shuffleNames, ['bufferSize']);
    const { reshuffleEachIteration = true } = options;
    requireInteger('shuffle', 'bufferSize', bufferSize, 1);
    requireBoolean('shuffle', 'reshuffleEachIteration', reshuffleEachIteration);
    checkSeed('shuffle', options.seed ?? undefined);
    const seed = options.seed ?? freshSeed();
    let pass = 0;
    return new Dataset(
      () => shuffled(this, bufferSize - 1, seed, reshuffleEachIteration ? pass++ : 0),
      this.cardinality,
    );
  }

  /**
   * Batches of `batchSize` elements: numbers and arrays become tensors, whose first axis counts the elements, and texts lists.
   * Errors: ValueError; in a pass also for elements of different structure, ShapeError for values of different shapes.
   */
  batch(batchSize: number, ...settings: Settings<BatchOptions, ['dropRemainder']>): Dataset<Batched<T>> {
    const { dropRemainder = false }: BatchOptions = optionsOf('batch', settings, batchNames, ['batchSize']);
    return this.#grouped('batch', batchSize, dropRemainder, batchElements);
  }

  /** Like `batch`, but values of different sizes are padded at the end, to the largest of the batch or to `paddedShapes`. */
  paddedBatch(
    batchSize: number,
    ...settings: Settings<PaddedBatchOptions, ['paddedShapes', 'paddingValues', 'dropRemainder']>
  ): Dataset<Batched<T>> {
    const options: PaddedBatchOptions = optionsOf('paddedBatch', settings, paddedNames, ['batchSize']);
    const { dropRemainder = false } = options;
    return this.#grouped('paddedBatch', batchSize, dropRemainder, (group) => padElements(group, options));
  }

  /** The elements of `count` passes, one after the other; forever without a count, or for -1. Errors: ValueError. */
  repeat(count: number | null = null, ...extra: []): Dataset<T> {
    rejectExtraArguments('repeat', extra, ['count']);
    const passes = countOf('repeat', count);
    const { cardinality } = this;
    const total = cardinality === null ? null : passes === 0 || cardinality === 0 ? 0 : cardinality * passes;
    return new Dataset(() => repeated(this, passes), total);
  }

  /** The first `count` elements; all for -1. Errors: ValueError. */
  take(count: number, ...extra: []): Dataset<T> {
    rejectExtraArguments('take', extra, ['count']);
    const limit = countOf('take', count);
    const { cardinality } = this;
    return new Dataset(() => taken(this, limit), cardinality === null ? null : Math.min(cardinality, limit));
  }

  /** All elements but the first `count`; none for -1. Errors: ValueError. */
  skip(count: number, ...extra: []): Dataset<T> {
    rejectExtraArguments('skip', extra, ['count']);
    const gone = countOf('skip', count);
    const { cardinality } = this;
    const left = cardinality === null ? null : Math.max(0, gone === Infinity ? 0 : cardinality - gone);
    return new Dataset(() => (gone === Infinity ? taken(this, 0) : skipped(this, gone)), left);
  }

  /** The same elements, of which up to `bufferSize` are made while others are used. Errors: ValueError. */
  prefetch(bufferSize = 1, ...extra: []): Dataset<T> {
    rejectExtraArguments('prefetch', extra, ['bufferSize']);
    requireInteger('prefetch', 'bufferSize', bufferSize, 0);
    return new Dataset(() => prefetched(this, bufferSize), this.cardinality);
  }

  /**
   * Datasets of `size` elements each. `flatMap` makes tensors of them:
   *
   *     series.window(5, { shift: 1, dropRemainder: true }).flatMap((window) => window.batch(5));
   *
   * Errors: ValueError.
   */
  window(
    size: number,
    ...settings: Settings<WindowOptions, ['shift', 'stride', 'dropRemainder']>
  ): Dataset<Dataset<T>> {
    const options: WindowOptions = optionsOf('window', settings, windowNames, ['size']);
    const { stride = 1, dropRemainder = false } = options;
    const shift = options.shift ?? size;
    requireInteger('window', 'size', size, 1);
    requireInteger('window', 'shift', shift, 1);
    requireInteger('window', 'stride', stride, 1);
    requireBoolean('window', 'dropRemainder', dropRemainder);
    const { cardinality } = this;
    const full = (size - 1) * stride;
    const count = cardinality && Math.max(0, Math.ceil((cardinality - (dropRemainder ? full : 0)) / shift));
    return new Dataset(
      async function* (this: Dataset<T>) {
        for await (const group of windowed(this, { size, shift, stride, dropRemainder })) {
          // Windows overlap: each has tensors of its own, which share their values.
          const own = group.map(shared);
          yield new Dataset(async function* () {
            yield* own;
          }, own.length);
        }
      }.bind(this),
      count,
    );
  }

  /** The elements of the datasets that `fn` returns for each element, one dataset after the other. Errors: ValueError. */
  flatMap<R>(fn: (element: T) => AsyncIterable<R> | Promise<AsyncIterable<R>>, ...extra: []): Dataset<R> {
    requireFunction('flatMap', 'fn', fn);
    rejectExtraArguments('flatMap', extra, ['fn']);
    const inner = this.map(fn);
    return new Dataset(async function* () {
      for await (const dataset of inner) yield* requireDataset('flatMap', dataset);
    });
  }

  /** These elements, then those of `other`. Errors: ValueError for what isn't a dataset. */
  concatenate<U>(other: Dataset<U>, ...extra: []): Dataset<T | U> {
    rejectExtraArguments('concatenate', extra, ['other']);
    requireDataset('concatenate', other);
    const [a, b] = [this.cardinality, other.cardinality];
    return new Dataset<T | U>(
      async function* (this: Dataset<T>) {
        yield* this;
        yield* other;
      }.bind(this),
      a === null || b === null ? null : a + b,
    );
  }

  /** Resolves to all elements. Errors: ValueError for a dataset without end. */
  async toArray(...extra: []): Promise<T[]> {
    rejectExtraArguments('toArray', extra, []);
    if (this.cardinality === Infinity) {
      throw new ValueError({
        op: 'toArray',
        rule: 'the dataset must have an end.',
        received: 'elements that are repeated forever',
        hint: 'take some of them: take(100).toArray().',
      });
    }
    const elements: T[] = [];
    for await (const element of this) elements.push(element);
    return elements;
  }

  #grouped(
    op: string,
    size: number,
    dropRemainder: boolean,
    join: (group: readonly T[]) => unknown,
  ): Dataset<Batched<T>> {
    requireInteger(op, 'batchSize', size, 1);
    requireBoolean(op, 'dropRemainder', dropRemainder);
    const { cardinality } = this;
    const count = cardinality && (dropRemainder ? Math.floor : Math.ceil)(cardinality / size);
    return new Dataset(
      () => grouped(this, size, dropRemainder, join as (group: readonly T[]) => Batched<T>),
      count,
    );
  }
}

/** The element with tensors of its own, which share the values of those in it. */
function shared<T>(element: T): T {
  return mapElement(element, (value) => (value instanceof Tensor ? keep(identity(value)) : value)) as T;
}

/** Returns a number of elements or passes, Infinity for null and -1. Errors: ValueError. */
function countOf(op: string, count: number | null): number {
  if (count === null || count === -1) return Infinity;
  requireInteger(op, 'count', count, 0);
  return count;
}

export function requireDataset<T>(op: string, given: AsyncIterable<T>): AsyncIterable<T> {
  if (typeof given === 'object' && given !== null && Symbol.asyncIterator in given) return given;
  throw new ValueError({
    op,
    rule: 'it takes datasets.',
    received: describe(given),
    hint: 'make one: fromIterable(items).',
  });
}
