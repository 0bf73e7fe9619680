/**
 * @file Batches from iterables: generators, functions that return them, and streams, sync or async.
 *
 * An item is `[x]`, `[x, y]`, `[x, y, sampleWeight]` or a record of these. Its tensors are freed after their step.
 */
import { runAllAsync, warnOf } from '../../../core/cleanup.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { getDevice, withDevice } from '../../../webgpu/current.ts';
import { outputSearch, withoutOutputSearch } from '../../../ops/define/outputSearch.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import { mapNest, type Nest } from '../../tensorNest.ts';
import type { AnyBatch } from '../batch.ts';
import { isRecord } from '../perOutput.ts';
import { batchTensor } from './column.ts';
import { type Data, type Entry, entriesOf, type Slot, type Slots, tensorsOf } from './slots.ts';
import { type BatchSource, commonRows } from './batchSource.ts';
import { type DataRecord, type Parts, partsOfRecord } from './partsOfRecord.ts';

/** One batch of an iterable: an array of one to three values, a record, or only the input. */
export type BatchItem = readonly (Data | null | undefined)[] | DataRecord | Tensor;

type Batches = Iterable<BatchItem> | AsyncIterable<BatchItem>;
type BatchIterator = Iterator<BatchItem> | AsyncIterator<BatchItem>;

/** Batches that are created during training: an iterable, or a function that returns one for each pass. */
export type BatchIterable = Batches | BatchIterator | (() => Batches | BatchIterator);

/** Returns whether `given` yields batches, rather than being data itself. */
export function isBatchIterable(given: unknown): given is BatchIterable {
  if (typeof given === 'function') return true;
  if (typeof given !== 'object' || given === null) return false;
  if (given instanceof Tensor || Array.isArray(given) || ArrayBuffer.isView(given)) return false;
  return isSync(given) || isAsync(given) || isIterator(given);
}

function isSync(given: object): given is Iterable<BatchItem> {
  return Symbol.iterator in given;
}

function isAsync(given: object): given is AsyncIterable<BatchItem> {
  return Symbol.asyncIterator in given;
}

function isIterator(given: object): given is BatchIterator {
  return typeof (given as Partial<BatchIterator>).next === 'function';
}

export interface IterableOptions {
  slots: Slots;
  /** Whether an epoch with a set number of steps continues where the last one ended. Default false: each is a new pass. */
  goOn?: boolean;
}

export class IterableSource implements BatchSource {
  readonly batches: number | null;
  readonly isEndless: boolean;
  /** The device for uploads: another one may be current when an item arrives. */
  readonly #device = getDevice();
  #iterator: BatchIterator | null = null;
  /** Whether an iterator was passed, which cannot be restarted. */
  #ended = false;
  /** Whether a batch is being waited for. */
  #isWaiting = false;
  /** Generators that are being closed. */
  readonly #closing: Promise<void>[] = [];

  constructor(
    private readonly op: string,
    private readonly given: BatchIterable,
    private readonly options: IterableOptions,
  ) {
    // A dataset may know the number of its batches.
    const { cardinality } = given as { cardinality?: unknown };
    this.batches = Number.isInteger(cardinality) ? (cardinality as number) : null;
    this.isEndless = cardinality === Number.POSITIVE_INFINITY;
  }

  begin(_epoch: number, steps: number | null): void {
    const goesOn = this.#isOnce() || (this.options.goOn && steps !== null);
    if (this.#iterator && goesOn && !this.#ended) return;
    if (this.#ended && this.#isOnce()) throw this.#usedUp();
    this.#close();
    this.#iterator = this.#open();
    this.#ended = false;
  }

  upload(): boolean {
    return false;
  }

  next(): AnyBatch | null | Promise<AnyBatch | null> {
    const result = (this.#iterator as BatchIterator).next();
    if (!(result instanceof Promise)) return this.#take(result);
    this.#isWaiting = true;
    const arrive = () => {
      this.#isWaiting = false;
    };
    result.then(arrive, arrive);
    return result.then((item) => this.#take(item));
  }

  async dispose(): Promise<void> {
    const closed = () => runAllAsync(this.#closing.splice(0).map((closing) => () => closing));
    await runAllAsync([() => this.#close(), closed]);
  }

  #take({ done, value }: IteratorResult<BatchItem, unknown>): AnyBatch | null {
    const { op, options } = this;
    if (done) {
      this.#ended = true;
      return null;
    }
    try {
      return withDevice(this.#device, () => batchOf(op, value as BatchItem, options.slots));
    } catch (error) {
      for (const tensor of itemTensors(value)) tensor.dispose();
      throw error;
    }
  }

  /** Lets a generator run its `finally`. Errors: those of the `finally`; `dispose` waits for an async one. */
  #close(): void {
    const iterator = this.#iterator;
    this.#iterator = null;
    if (!iterator || this.#ended) return;
    const closing: unknown = iterator.return?.();
    if (!(closing instanceof Promise)) return;
    // Closing would have to wait for a batch that may never arrive.
    if (this.#isWaiting) closing.catch(warnOf);
    else this.#closing.push(closing.then(() => {}));
  }

  #open(): BatchIterator {
    const { given } = this;
    const made: unknown = typeof given === 'function' ? given() : given;
    if (typeof made === 'object' && made !== null) {
      if (isAsync(made)) return made[Symbol.asyncIterator]();
      if (isSync(made)) return made[Symbol.iterator]();
      if (isIterator(made)) return made;
    }
    throw new ValueError({
      op: this.op,
      rule: 'a function passed as data returns an iterable of batches, sync or async.',
      received: describe(made),
      hint: 'pass a generator function: function* () { yield [x, y]; }.',
    });
  }

  /** Returns whether it can be iterated only once, like an iterator or a generator. */
  #isOnce(): boolean {
    const { given } = this;
    if (typeof given === 'function') return false;
    if (!isAsync(given) && !isSync(given)) return true;
    return this.#iterator !== null && (this.#iterator as unknown) === given;
  }

  #usedUp(): ValueError {
    return new ValueError({
      op: this.op,
      rule: 'a generator yields its batches only once.',
      received: 'a generator that has ended, at the beginning of another pass',
      hint: 'pass the generator function, which is called for every pass, or an infinite generator and the number of steps.',
    });
  }
}

/** Returns the tensors of an item, which belong to the run. */
function itemTensors(item: unknown): Tensor[] {
  const parts = Array.isArray(item) ? item : isRecord(item) ? Object.values(item) : [item];
  return parts.flatMap(tensorsOf);
}

/** Returns the batch of an item, with host values uploaded. If it fails, the uploads are freed. */
export function batchOf(op: string, item: unknown, slots: Slots): AnyBatch {
  const { x, y, sampleWeight } = partsOf(op, item);
  const made: { what: string; shape: readonly number[] }[] = [];
  const uploads: Tensor[] = [];
  const tensors = (what: string, given: unknown, places: readonly Slot[] | null): Nest<Tensor> =>
    mapNest(entriesOf(op, what, given, places), (entry: Entry) => {
      const tensor = withoutOutputSearch(() => batchTensor(op, entry, made[0]?.shape[0]));
      if (tensor !== entry.values) uploads.push(tensor);
      outputSearch()?.data(tensor, { op, what: entry.what, sampleOf: (row) => row });
      made.push({ what: entry.what, shape: tensor.shape });
      return tensor;
    });
  try {
    const batch = {
      x: tensors('x', x, slots.inputs),
      y: y == null ? null : tensors('y', y, slots.outputs),
      sampleWeight: sampleWeight == null ? null : tensors('sampleWeight', sampleWeight, slots.outputs),
    };
    commonRows(op, made);
    return batch;
  } catch (error) {
    for (const tensor of uploads) tensor.dispose();
    throw error;
  }
}

function partsOf(op: string, item: unknown): Parts {
  if (item instanceof Tensor) return { x: item };
  if (Array.isArray(item) && item.length >= 1 && item.length <= 3) {
    const [x, y, sampleWeight] = item as [unknown, unknown?, unknown?];
    return { x, y, sampleWeight };
  }
  const parts = partsOfRecord(`${op}: a batch`, item);
  if (parts) return parts;
  throw new ValueError({
    op,
    rule: 'a batch is [x], [x, y], [x, y, sampleWeight] or { x, y, sampleWeight }.',
    received: Array.isArray(item) ? `an array of ${item.length}` : describe(item),
    hint: 'yield [x, y]: tensors or arrays whose first axis is the batch.',
  });
}
