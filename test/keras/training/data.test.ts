import { beforeAll, describe, expect, test } from 'vitest';
import {
  DisposedError,
  init,
  memory,
  ShapeError,
  type Tensor,
  tensor,
  ValueError,
} from '../../../src/index.ts';
import type { AnyBatch } from '../../../src/keras/training/batch.ts';
import { ClassWeights } from '../../../src/keras/training/data/classWeight.ts';
import {
  type BatchIterable,
  batchOf,
  isBatchIterable,
  IterableSource,
} from '../../../src/keras/training/data/iterableSource.ts';
import { permutation } from '../../../src/core/permutation.ts';
import type { Data, Slots } from '../../../src/keras/training/data/slots.ts';
import { type BatchSource, freeBatch } from '../../../src/keras/training/data/batchSource.ts';
import {
  Table,
  type TableData,
  TableSource,
  type TableSourceOptions,
} from '../../../src/keras/training/data/tableSource.ts';

beforeAll(async () => {
  await init();
});

const unknown: Slots = { inputs: null, outputs: null };
/** One input of two features, one output of three. */
const simple: Slots = {
  inputs: [{ name: 'features', shape: [null, 2], dtype: 'float32' }],
  outputs: [{ name: 'scores', shape: [null, 3] }],
};
const paired: Slots = {
  inputs: [
    { name: 'left', shape: [null, 2], dtype: 'float32' },
    { name: 'tokens', shape: [null, 2], dtype: 'int32' },
  ],
  outputs: [
    { name: 'a', shape: [null, 1] },
    { name: 'b', shape: [null, 1] },
  ],
};

/** Returns the first inputs of all batches of an epoch, as nested arrays. */
async function inputs(source: BatchSource, steps: number, epoch = 0, perEpoch: number | null = null) {
  source.begin(epoch, perEpoch);
  const found: unknown[] = [];
  for (let i = 0; i < steps; i++) {
    const batch = await source.next();
    if (!batch) break;
    found.push(await (batch.x as Tensor).array());
    freeBatch(batch);
  }
  return found;
}

function table(data: TableData, slots: Slots, maxResidentBytes?: number): Table {
  return new Table('fit', data, slots, maxResidentBytes);
}

const rows = [[0], [1], [2], [3], [4]];

describe('permutation', () => {
  test('is a function of seed and pass, and reaches all rows', () => {
    const first = permutation(50, 7, 0);
    expect([...first].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i));
    expect(permutation(50, 7, 0)).toEqual(first);
    expect(permutation(50, 7, 1)).not.toEqual(first);
    expect(permutation(50, 8, 0)).not.toEqual(first);
    expect(permutation(50, 7 + 2 ** 32, 0)).not.toEqual(first);
    expect([...permutation(0, 1, 0)]).toEqual([]);
  });

  test('gives every row every place equally often', () => {
    const counts = new Array<number>(4).fill(0);
    for (let pass = 0; pass < 4000; pass++) counts[permutation(4, 3, pass)[0] as number]!++;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120);
  });
});

describe('a table', () => {
  test.each([
    ['on the device', undefined],
    ['on the host', 0],
  ])('gives batches in order, the last one smaller, %s', async (_, limit) => {
    const values = table({ x: rows, y: new Int32Array([5, 6, 7, 8, 9]) }, unknown, limit);
    const source = new TableSource(values, { batchSize: 2 });
    expect(source.batches).toBe(3);
    expect(await inputs(source, 3)).toEqual([[[0], [1]], [[2], [3]], [[4]]]);
    source.begin(0, null);
    const { y, sampleWeight } = source.next();
    expect((y as Tensor).dtype).toBe('int32');
    expect(await (y as Tensor).array()).toEqual([5, 6]);
    expect(sampleWeight).toBeNull();
  });

  test.each([
    ['on the device', undefined],
    ['on the host', 0],
  ])('shuffles by seed and pass, %s', async (_, limit) => {
    const data = { x: new Float32Array(12).map((_, i) => i), y: [0, 1, 2, 3, 4, 5] };
    const source = new TableSource(table(data, simple, limit), { batchSize: 4, shuffle: true, seed: 11 });
    const order = permutation(6, 11, 3);
    const expected = [...order].map((row) => [2 * row, 2 * row + 1]);
    expect((await inputs(source, 2, 3)).flat()).toEqual(expected);
    source.begin(3, null);
    expect(await (source.next().y as Tensor).array()).toEqual([...order.slice(0, 4)]);
  });

  test('uploads large data piece by piece', async () => {
    const [count, width] = [600, 500];
    const flat = Uint8Array.from({ length: count * width }, (_, i) => i % 251);
    const nested = Array.from({ length: count }, (_, row) => [
      ...flat.subarray(row * width, (row + 1) * width),
    ]);
    const slots: Slots = {
      inputs: [{ name: 'pixels', shape: [null, width], dtype: 'float32' }],
      outputs: null,
    };
    const row = (i: number) => [...flat.subarray(i * width, (i + 1) * width)];
    for (const x of [flat, nested]) {
      const before = memory().tensors;
      const values = table({ x }, slots);
      let pieces = 1;
      while (values.upload()) pieces++;
      expect(pieces).toBe(3);
      expect(memory().tensors).toBe(before + 1);
      const source = new TableSource(values, { batchSize: 2, from: count - 3 });
      expect((await inputs(source, 2)).flat()).toEqual([row(597), row(598), row(599)]);
      values.dispose();
      // A request before everything is uploaded waits for it.
      const early = table({ x }, slots);
      const shuffled = new TableSource(early, { batchSize: 2, shuffle: true, seed: 3 });
      const [first = 0, second = 0] = permutation(count, 3, 0);
      expect((await inputs(shuffled, 1)).flat()).toEqual([row(first), row(second)]);
      expect(early.upload()).toBe(false);
      shuffled.dispose();
      early.dispose();
      expect(memory().tensors).toBe(before);
    }
    const ragged = nested.map((values, i) => (i === 500 ? values.slice(1) : values));
    const torn = table({ x: ragged }, slots);
    expect(() => {
      while (torn.upload());
    }).toThrow(ShapeError);
  });

  test('shuffles whole batches, and leaves the smaller one at the end', async () => {
    const source = new TableSource(table({ x: rows }, unknown), { batchSize: 2, shuffle: 'batch', seed: 2 });
    const found = (await inputs(source, 3)) as number[][][];
    expect(found[2]).toEqual([[4]]);
    expect(found.slice(0, 2).sort()).toEqual([
      [[0], [1]],
      [[2], [3]],
    ]);
  });

  test('takes a range of rows, shuffled within it', async () => {
    const values = table({ x: rows }, unknown);
    const last = new TableSource(values, { batchSize: 2, from: 3 });
    expect(await inputs(last, 1)).toEqual([[[3], [4]]]);
    const first = new TableSource(values, { batchSize: 3, to: 3, shuffle: true, seed: 1 });
    expect(((await inputs(first, 1)).flat() as number[][]).flat().sort()).toEqual([0, 1, 2]);
  });

  test('continues where the last epoch ended if epochs have a number of steps', async () => {
    const source = new TableSource(table({ x: rows }, unknown), { batchSize: 2 });
    expect(await inputs(source, 2, 0, 2)).toEqual([
      [[0], [1]],
      [[2], [3]],
    ]);
    expect(await inputs(source, 2, 1, 2)).toEqual([[[4]], [[0], [1]]]);
  });

  test('reads flat arrays in the shape of their slot, but labels as they are', async () => {
    const x = new Float64Array([1, 2, 3, 4]);
    const labels = new TableSource(table({ x, y: new Uint8Array([2, 0]) }, simple), { batchSize: 2 });
    labels.begin(0, null);
    const batch = labels.next();
    expect(await (batch.x as Tensor).array()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect((batch.y as Tensor).shape).toEqual([2]);
    const rowsOfThree = table({ x, y: new Float32Array(6) }, simple);
    expect((rowsOfThree.y as unknown as { shape: number[] }).shape).toEqual([2, 3]);
    expect(() => table({ x: new Float32Array(5) }, simple)).toThrow(ShapeError);
  });

  test('takes several inputs by position and by name, in the dtypes of their slots', async () => {
    const tokens = [
      [1, 2],
      [3, 4],
    ];
    const left = new Float32Array([5, 6, 7, 8]);
    for (const x of [[left, tokens], { left, tokens }] as Data[]) {
      const source = new TableSource(table({ x, y: { a: [1, 2], b: [3, 4] } }, paired), { batchSize: 2 });
      source.begin(0, null);
      const batch = source.next();
      const [l, t] = Object.values(batch.x) as [Tensor, Tensor];
      expect([l.dtype, t.dtype]).toEqual(['float32', 'int32']);
      expect(await l.array()).toEqual([
        [5, 6],
        [7, 8],
      ]);
      expect(Object.keys(batch.y as object)).toEqual(['a', 'b']);
    }
  });

  test('frees what it uploaded, and keeps tensors of the caller', () => {
    const x = tensor([[1, 2]]);
    const before = memory().tensors;
    const values = table({ x, y: [1] }, simple);
    const source = new TableSource(values, { batchSize: 1, shuffle: true });
    source.begin(0, null);
    freeBatch(source.next());
    source.dispose();
    values.dispose();
    expect(memory().tensors).toBe(before);
    expect(x.disposed).toBe(false);
  });

  test.each<[string, () => TableData, RegExp, typeof ShapeError | typeof ValueError]>([
    ['lengths that differ', () => ({ x: rows, y: [1, 2] }), /x: 5, y: 2/, ShapeError],
    ['no samples', () => ({ x: tensor([], { shape: [0, 2] }) }), /at least one sample/, ShapeError],
    ['empty arrays', () => ({ x: [] }), /at least one sample/, ShapeError],
    ['a scalar', () => ({ x: tensor(3) }), /counts the samples/, ShapeError],
    ['ragged rows', () => ({ x: [[1, 2], [3]] }), /rectangular/, ShapeError],
    ['text', () => ({ x: 'rows' as never }), /a tensor, a typed array or nested arrays/, ValueError],
    ['null', () => ({ x: null as never }), /`x` is a tensor/, ValueError],
    ['a record with text', () => ({ x: { a: 'rows' as never } }), /x\.a/, ValueError],
  ])('rejects %s', (_, make, message, kind) => {
    const data = make();
    const before = memory().tensors;
    expect(() => table(data, unknown)).toThrow(message);
    expect(() => table(data, unknown)).toThrow(kind);
    expect(memory().tensors).toBe(before);
  });
});

const source = (given: BatchIterable, options: Partial<TableSourceOptions> & { goOn?: boolean } = {}) =>
  new IterableSource('fit', given, { slots: unknown, ...options });

describe('batches from iterables', () => {
  function* counting() {
    for (let i = 0; i < 3; i++) yield [[[i]], [i]] as const;
  }

  async function* slowly() {
    for (const batch of counting()) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      yield { xs: batch[0], ys: batch[1] };
    }
  }

  test.each<[string, () => BatchIterable]>([
    ['a generator function', () => counting],
    ['an async generator function', () => slowly],
    ['an iterable', () => ({ [Symbol.iterator]: counting })],
    ['a function that gives an iterator', () => () => counting()[Symbol.iterator]()],
  ])('%s starts again in every epoch', async (_, make) => {
    const batches = source(make());
    expect(await inputs(batches, 9)).toEqual([[[0]], [[1]], [[2]]]);
    expect(await inputs(batches, 9)).toEqual([[[0]], [[1]], [[2]]]);
  });

  test('a generator gives its batches once', async () => {
    const batches = source(counting());
    expect(await inputs(batches, 9)).toHaveLength(3);
    expect(() => batches.begin(1, null)).toThrow(/yields its batches only once/);
  });

  test('an endless generator continues from epoch to epoch', async () => {
    function* endless() {
      for (let i = 0; ; i++) yield [[[i]]] as const;
    }
    const batches = source(endless(), { goOn: true });
    expect(await inputs(batches, 2, 0, 2)).toEqual([[[0]], [[1]]]);
    expect(await inputs(batches, 2, 1, 2)).toEqual([[[2]], [[3]]]);
    const made = source(endless, { goOn: true });
    await inputs(made, 2, 0, 2);
    expect(await inputs(made, 2, 1, 2)).toEqual([[[2]], [[3]]]);
  });

  test('closing a generator runs its finally block', async () => {
    let closed = false;
    const batches = source(function* () {
      try {
        for (;;) yield [[[1]]] as const;
      } finally {
        closed = true;
      }
    });
    await inputs(batches, 1);
    batches.dispose();
    expect(closed).toBe(true);
  });

  test('tensors in a batch are freed after their step', async () => {
    const x = tensor([[1]]);
    const batches = source(() => [[x]][Symbol.iterator]() as never);
    await inputs(batches, 1);
    expect(() => x.storage).toThrow(DisposedError);
  });

  test.each<[string, unknown, RegExp]>([
    ['no batch', 3, /a batch is \[x\]/],
    ['an empty array', [], /an array of 0/],
    ['four parts', [[1], [1], [1], [1]], /an array of 4/],
    ['a record without x', { a: [[1]] }, /a batch is \[x\]/],
    ['a record of other names', { x: [[1]], ys: [1] }, /option|x, y/],
    ['lengths that differ', [[[1]], [1, 2]], /x: 1, y: 2/],
  ])('%s is rejected', (_, item, message) => {
    expect(() => batchOf('fit', item, unknown)).toThrow(message);
  });

  test('a function that returns no batches is rejected', () => {
    expect(() => source((() => 3) as never).begin(0, null)).toThrow(/returns an iterable of batches/);
  });

  test('are distinguished from data', () => {
    expect([[[1]], tensor([1]), new Float32Array(1), { x: [1] }, null, 'text'].map(isBatchIterable)).toEqual(
      new Array(6).fill(false),
    );
    expect([counting, counting(), slowly(), new Set(), { next: () => {} }].map(isBatchIterable)).toEqual(
      new Array(5).fill(true),
    );
  });
});

describe('class weights', () => {
  const batch = (y: Tensor | null, sampleWeight: Tensor | null = null): AnyBatch => ({
    x: tensor([[1]]),
    y,
    sampleWeight,
  });

  test('are the weights of the samples', async () => {
    const weights = new ClassWeights('fit', { 0: 0.5, 2: 4 });
    const expected = [0.5, 4, 1, 1];
    const labels = [0, 2, 1, 7];
    for (const y of [
      tensor(labels),
      tensor(labels, { dtype: 'int32' }),
      tensor(labels, { shape: [4, 1] }),
      tensor([0.2, 1.9, 0.7, 7.1]),
    ]) {
      expect(await weights.of(batch(y)).array()).toEqual(expected);
    }
    const oneHot = tensor([
      [1, 0, 0],
      [0, 0, 1],
      [0, 1, 0],
    ]);
    expect(await weights.of(batch(oneHot)).array()).toEqual([0.5, 4, 1]);
  });

  test.each<[string, () => AnyBatch, RegExp]>([
    ['with sample weights', () => batch(tensor([1]), tensor([1])), /cannot be combined with sample weights/],
    ['without targets', () => batch(null), /0 arrays of targets/],
    ['of steps', () => batch(tensor([[[1, 0]]])), /one class for each sample/],
  ])('are rejected %s', (_, make, message) => {
    const weights = new ClassWeights('fit', { 0: 1 });
    expect(() => weights.of(make())).toThrow(message);
  });

  test.each<[string, unknown]>([
    ['a list', [1, 2]],
    ['names', { cat: 1 }],
    ['negative weights', { 0: -1 }],
    ['NaN', { 0: Number.NaN }],
    ['fractions of classes', { 0.5: 1 }],
    ['nothing', {}],
  ])('%s are rejected', (_, given) => {
    expect(() => new ClassWeights('fit', given as never)).toThrow(ValueError);
  });
});
