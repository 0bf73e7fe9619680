/** @file Table: inputs, targets and weights as columns with the same number of rows, and the batches of a range of rows. */
import { getDevice } from '../../../webgpu/current.ts';
import { outputSearch, withoutOutputSearch } from '../../../ops/define/outputSearch.ts';
import { tensor } from '../../../tensor/create.ts';
import { keep } from '../../../tensor/scope.ts';
import { leavesOf, mapNest, type Nest } from '../../tensorNest.ts';
import type { AnyBatch } from '../batch.ts';
import { type Column, columnOf, type RowOrder, uploadBytes } from './column.ts';
import { permutation } from '../../../core/permutation.ts';
import { type Data, type Entry, entriesOf, type Slot, type Slots } from './slots.ts';
import { type BatchSamples, type BatchSource, commonRows } from './batchSource.ts';
import { nonFiniteSample, sampleHolding } from './findSample.ts';

/** Host data up to this size are uploaded at the start, larger data batch by batch. */
const residentBytes = 2 ** 28;

export interface TableData {
  x: Data;
  y?: Data | null | undefined;
  sampleWeight?: Data | null | undefined;
}

export class Table {
  readonly rows: number;
  readonly x: Nest<Column>;
  readonly y: Nest<Column> | null;
  readonly sampleWeight: Nest<Column> | null;
  /** All columns: inputs, targets, weights. */
  readonly columns: Column[] = [];

  /** Errors: ValueError for invalid data; ShapeError for shapes or lengths that don't match. */
  constructor(
    readonly op: string,
    data: TableData,
    slots: Slots,
    maxResidentBytes = residentBytes,
  ) {
    const x = entriesOf(op, 'x', data.x, slots.inputs);
    const y = data.y == null ? null : entriesOf(op, 'y', data.y, slots.outputs);
    const weights =
      data.sampleWeight == null ? null : entriesOf(op, 'sampleWeight', data.sampleWeight, weightSlots(slots));
    const all = [x, y, weights].flatMap((nest) => (nest === null ? [] : leavesOf<Entry>(nest)));
    const resident = fits(all, maxResidentBytes);
    const { columns } = this;
    const made = (nest: Nest<Entry>, rows?: number): Nest<Column> =>
      mapNest(nest, (entry) => {
        const column = columnOf(op, entry, resident, rows);
        columns.push(column);
        return column;
      });
    try {
      this.x = made(x);
      const rows = columns[0]?.shape[0];
      this.y = y && made(y, rows);
      this.sampleWeight = weights && made(weights, rows);
      this.rows = commonRows(op, columns);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** Uploads a part of the data. Returns false when everything is uploaded. */
  upload(): boolean {
    return this.columns.some((column) => column.upload());
  }

  dispose(): void {
    for (const column of this.columns) column.dispose();
  }
}

/** Slots of sample weights, which are numbers regardless of the outputs. */
function weightSlots({ outputs }: Slots): Slot[] | null {
  return outputs?.map(({ name }) => ({ name, shape: [null], dtype: 'float32' })) ?? null;
}

function fits(entries: readonly Entry[], maxBytes: number): boolean {
  const { maxStorageBufferBindingSize, maxBufferSize } = getDevice().limits;
  const sizes = entries.map(uploadBytes);
  const largest = Math.min(maxStorageBufferBindingSize, maxBufferSize);
  return sizes.every((size) => size <= largest) && sizes.reduce((a, b) => a + b, 0) <= maxBytes;
}

export interface TableSourceOptions {
  batchSize: number;
  /** The range of rows, [from, to). Default: all. */
  from?: number;
  to?: number;
  /** Whether to shuffle rows, or whole batches, for every pass. Default false. */
  shuffle?: boolean | 'batch';
  /** Seed of the shuffling. */
  seed?: number;
}

/**
 * Batches of a table's rows; the last one of a pass may be smaller. An epoch with a set number of steps continues where the
 * last one ended.
 */
export class TableSource implements BatchSource {
  readonly batches: number;
  readonly batchSize: number;
  readonly rows: number;
  readonly #from: number;
  readonly #shuffle: boolean | 'batch';
  readonly #seed: number;
  /** Index of the next batch, over all passes. */
  #position = 0;
  /** The index of the first batch since `begin`. */
  #begun = 0;
  #order: { pass: number; order: RowOrder } | null = null;

  constructor(
    private readonly table: Table,
    { batchSize, from = 0, to = table.rows, shuffle = false, seed = 0 }: TableSourceOptions,
  ) {
    this.rows = to - from;
    this.batches = Math.ceil(this.rows / batchSize);
    this.#from = from;
    this.batchSize = batchSize;
    this.#shuffle = shuffle;
    this.#seed = seed;
  }

  begin(epoch: number, steps: number | null): void {
    this.#begun = epoch * (steps ?? this.batches);
    this.#position = this.#begun;
  }

  upload(): boolean {
    return this.table.upload();
  }

  next(): AnyBatch {
    const { table } = this;
    const { pass, from, count } = this.#rangeOf(this.#position++);
    const order = this.#orderOf(pass);
    const rows = { from: order ? from : this.#from + from, count, order };
    const sampleOf = (row: number) => (order ? (order.host[from + row] as number) : rows.from + row);
    const taken = (nest: Nest<Column>) =>
      mapNest(nest, (column) => {
        const values = keep(withoutOutputSearch(() => column.take(rows)));
        outputSearch()?.data(values, { op: table.op, what: column.what, sampleOf });
        return values;
      });
    return {
      x: taken(table.x),
      y: table.y && taken(table.y),
      sampleWeight: table.sampleWeight && taken(table.sampleWeight),
    };
  }

  samples(): BatchSamples {
    return this.#finder(this.#position - 1);
  }

  samplesAt(batch: number): BatchSamples {
    return this.#finder(this.#begun + batch);
  }

  dispose(): void {
    this.#order?.order.device.dispose();
    this.#order = null;
  }

  /** Finds samples of the batch at `position`. */
  #finder(position: number): BatchSamples {
    const samples = () => this.#samplesAt(position);
    return {
      holding: (fault) => sampleHolding(this.table, samples(), fault),
      nonFinite: () => nonFiniteSample(this.table, samples()),
    };
  }

  #orderOf(pass: number): RowOrder | null {
    if (!this.#shuffle) return null;
    if (this.#order?.pass === pass) return this.#order.order;
    this.dispose();
    const host = this.#hostOrder(pass);
    const order = { host, device: keep(tensor(host)) };
    this.#order = { pass, order };
    return order;
  }

  /** Returns the pass of the batch at `position`, and its rows. */
  #rangeOf(position: number): { pass: number; from: number; count: number } {
    const from = (position % this.batches) * this.batchSize;
    const count = Math.min(this.batchSize, this.rows - from);
    return { pass: Math.floor(position / this.batches), from, count };
  }

  /** Returns the samples of the batch at `position`, in order. */
  #samplesAt(position: number): Int32Array<ArrayBuffer> {
    const { pass, from, count } = this.#rangeOf(position);
    if (this.#shuffle) return this.#hostOrder(pass).slice(from, from + count);
    return Int32Array.from({ length: count }, (_, i) => this.#from + from + i);
  }

  #hostOrder(pass: number): Int32Array<ArrayBuffer> {
    const host =
      this.#shuffle === 'batch' ? this.#batchOrder(pass) : permutation(this.rows, this.#seed, pass);
    for (let i = 0; i < host.length; i++) host[i] = (host[i] as number) + this.#from;
    return host;
  }

  /** Shuffles whole batches. A smaller last batch stays last, so that all others have the same size. */
  #batchOrder(pass: number): Int32Array<ArrayBuffer> {
    const size = this.batchSize;
    const whole = Math.floor(this.rows / size);
    const batches = permutation(whole, this.#seed, pass);
    return Int32Array.from({ length: this.rows }, (_, i) =>
      i < whole * size ? (batches[Math.floor(i / size)] as number) * size + (i % size) : i,
    );
  }
}
