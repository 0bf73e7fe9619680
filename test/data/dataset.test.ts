/** @file Datasets: the words of tf.data, what their batches hold, which tensors they free, and `fit` with them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { Dataset, fromIterable, fromTensorSlices, range, zip } from '../../src/data/index.ts';
import { init, memory, mul, ShapeError, Tensor, tensor, ValueError } from '../../src/index.ts';
import { callbacks, layers, sequential } from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

/** The elements, tensors as nested lists with their dtype. */
async function listed(dataset: AsyncIterable<unknown>): Promise<unknown[]> {
  const plain = async (part: unknown): Promise<unknown> => {
    if (part instanceof Tensor) {
      const values = await part.array();
      part.dispose();
      return values;
    }
    return Array.isArray(part) ? Promise.all(part.map(plain)) : part;
  };
  const found: unknown[] = [];
  for await (const element of dataset) found.push(await plain(element));
  return found;
}

describe('steps, and how many elements they leave', () => {
  const odd = (n: number) => n % 2 === 1;
  const windows = (options: object) =>
    range(7)
      .window(3, options)
      .flatMap((window) => window.batch(3));
  // As tf.data 2.x prints them.
  const cases: [string, Dataset<unknown>, unknown[], (number | null)?][] = [
    ['map', range(3).map((n) => 10 * n), [0, 10, 20]],
    ['map, async', range(3).map(async (n) => n + 1, { numParallelCalls: 2 }), [1, 2, 3]],
    ['filter', range(5).filter(odd), [1, 3], null],
    ['batch', range(5).batch(2), [[0, 1], [2, 3], [4]]],
    [
      'batch, whole',
      range(5).batch(2, { dropRemainder: true }),
      [
        [0, 1],
        [2, 3],
      ],
    ],
    ['repeat', range(2).repeat(2), [0, 1, 0, 1]],
    ['repeat and take', range(2).repeat().take(5), [0, 1, 0, 1, 0]],
    ['repeat of nothing', range(0).repeat(), []],
    ['skip', range(5).skip(3), [3, 4]],
    ['skip all', range(5).skip(-1), []],
    ['prefetch', range(3).prefetch(2), [0, 1, 2]],
    ['concatenate', range(2).concatenate(range(5, 8, 2)), [0, 1, 5, 7]],
    [
      'zip',
      zip([range(3), range(10, 12)]),
      [
        [0, 10],
        [1, 11],
      ],
    ],
    ['zip of a record', zip({ a: range(1), b: range(1) }), [{ a: 0, b: 0 }]],
    ['window', windows({}), [[0, 1, 2], [3, 4, 5], [6]], null],
    [
      'window, shift',
      windows({ shift: 2, dropRemainder: true }),
      [
        [0, 1, 2],
        [2, 3, 4],
        [4, 5, 6],
      ],
      null,
    ],
    [
      'window, stride',
      windows({ shift: 1, stride: 2, dropRemainder: true }),
      [
        [0, 2, 4],
        [1, 3, 5],
        [2, 4, 6],
      ],
      null,
    ],
    [
      'window, gaps',
      windows({ shift: 5 }),
      [
        [0, 1, 2],
        [5, 6],
      ],
      null,
    ],
    ['range', range(5, 0, -2), [5, 3, 1]],
  ];
  test.each(cases)('%s', async (_, dataset, elements, cardinality = elements.length) => {
    expect(await listed(dataset)).toEqual(elements);
    // Every pass has the same elements.
    expect(await listed(dataset)).toEqual(elements);
    expect(dataset.cardinality).toBe(cardinality);
  });
  test('windows count themselves', async () => {
    for (const options of [{}, { shift: 2 }, { stride: 2, shift: 1, dropRemainder: true }, { shift: 5 }]) {
      const made = range(7).window(3, options);
      expect((await made.toArray()).length).toBe(made.cardinality);
    }
  });
});

test('a seeded order: another one in each pass, the same for the same seed', async () => {
  const orders = async (options: object) => {
    const dataset = range(50).shuffle(50, options);
    return [await dataset.toArray(), await dataset.toArray()];
  };
  const [first, second] = (await orders({ seed: 3 })) as [number[], number[]];
  expect(first).not.toEqual(second);
  expect(first.toSorted((a, b) => a - b)).toEqual(await range(50).toArray());
  expect(await orders({ seed: 3 })).toEqual([first, second]);
  expect((await orders({ seed: 4 }))[0]).not.toEqual(first);
  const [same, again] = await orders({ seed: 3, reshuffleEachIteration: false });
  expect(same).toEqual(again);
  expect(await range(20).shuffle(1).toArray()).toEqual(await range(20).toArray());
  // An element never comes earlier than a buffer allows.
  const near = await range(50).shuffle(5, { seed: 1 }).toArray();
  for (const [i, n] of near.entries()) expect(n).toBeLessThan(i + 5);
});

test('all orders are equally likely', async () => {
  const counts = new Map<string, number>();
  const dataset = range(3).shuffle(3, { seed: 11 });
  for (let i = 0; i < 1200; i++) {
    const order = String(await dataset.toArray());
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  // Six orders, 200 times each, with a standard deviation of 13.
  expect(counts.size).toBe(6);
  for (const count of counts.values()) expect(Math.abs(count - 200)).toBeLessThan(60);
});

test('batches of each kind of value', async () => {
  const image = (values: number[]) => Object.assign(new Float32Array(values), { shape: [2, 1] });
  const elements = [
    [image([1, 2]), { ids: new Int32Array([1]), on: true, text: 'a', nothing: null }, [1, 2]],
    [image([3, 4]), { ids: new Int32Array([2]), on: false, text: 'b', nothing: null }, [3, 4]],
  ];
  const [batch] = await fromIterable(elements).batch(2).toArray();
  const [x, { ids, on, text, nothing }, y] = batch as unknown as [
    Tensor,
    { ids: Tensor; on: Tensor; text: unknown; nothing: unknown },
    Tensor,
  ];
  expect([x, ids, on, y].map(({ shape, dtype }) => [dtype, ...shape])).toEqual([
    ['float32', 2, 2, 1],
    ['int32', 2, 1],
    ['bool', 2],
    ['float32', 2, 2],
  ]);
  expect([text, nothing]).toEqual([['a', 'b'], null]);
});

test('slices of arrays and tensors', async () => {
  const images = Object.assign(new Float32Array([1, 2, 3, 4]), { shape: [2, 2] });
  const data = { image: images, label: tensor([1, 0], { dtype: 'int32' }), on: tensor([true, false]) };
  expect(await fromTensorSlices(data).toArray()).toEqual([
    { image: new Float32Array([1, 2]), label: 1, on: true },
    { image: new Float32Array([3, 4]), label: 0, on: false },
  ]);
  expect(
    await fromTensorSlices([
      [[1], [2]],
      ['a', 'b'],
    ]).toArray(),
  ).toEqual([
    [[1], 'a'],
    [[2], 'b'],
  ]);
  expect(
    await listed(
      fromTensorSlices(
        tensor([
          [1, 2],
          [3, 4],
        ]),
      ).batch(2),
    ),
  ).toEqual([
    [
      [1, 2],
      [3, 4],
    ],
  ]);
  expect(() => fromTensorSlices([[1, 2], [1]])).toThrow(ShapeError);
  expect(() => fromTensorSlices([1, 2])).toThrow(ValueError);
});

test('padded batches', async () => {
  const lists = fromIterable([
    [[1], 1],
    [[2, 3, 4], 0],
  ]);
  expect(await listed(lists.paddedBatch(2))).toEqual([
    [
      [
        [1, 0, 0],
        [2, 3, 4],
      ],
      [1, 0],
    ],
  ]);
  const options = { paddedShapes: [[4], []], paddingValues: [-1, 0] };
  expect(await listed(lists.paddedBatch(2, options))).toEqual([
    [
      [
        [1, -1, -1, -1],
        [2, 3, 4, -1],
      ],
      [1, 0],
    ],
  ]);
  const matrices = fromIterable([[[[1], [2]]], [[[3, 4]]]]);
  expect(await listed(matrices.paddedBatch(2))).toEqual([
    [
      [
        [
          [1, 0],
          [2, 0],
        ],
        [
          [3, 4],
          [0, 0],
        ],
      ],
    ],
  ]);
  const tensors = range(2).map((n) => tensor(new Float32Array(n + 1).fill(1)));
  expect(await listed(tensors.paddedBatch(2, { paddingValues: 9 }))).toEqual([
    [
      [1, 9],
      [1, 1],
    ],
  ]);
  await expect(listed(lists.paddedBatch(2, { paddedShapes: [[2], []] }))).rejects.toThrow(ShapeError);
});

test('tensors that nobody takes are freed', async () => {
  const given = tensor([5, 6]);
  const before = memory().tensors;
  const doubled = fromIterable([
    [given, 1],
    [given, 2],
    [given, 3],
  ])
    .map(([x, y]) => [mul(mul(x as Tensor, 2), 2), y as number] as const)
    .filter(([, y]) => y !== 2)
    .shuffle(2, { seed: 1 })
    .batch(1)
    .prefetch(2)
    .repeat(2)
    .skip(1)
    .take(2);
  for (let pass = 0; pass < 2; pass++)
    for await (const [x, y] of doubled) {
      expect(await x.array()).toEqual([[20, 24]]);
      x.dispose();
      y.dispose();
    }
  expect(memory().tensors).toBe(before);
  expect(await given.array()).toEqual([5, 6]);
  given.dispose();
});

test('a generator is closed when a pass ends early, and a list of items is there again', async () => {
  const closed: number[] = [];
  const numbers = fromIterable(function* () {
    try {
      for (let i = 0; ; i++) yield i;
    } finally {
      closed.push(1);
    }
  });
  expect(await numbers.prefetch(3).batch(2).take(1).toArray()).toHaveLength(1);
  expect(closed).toEqual([1]);
  const once = fromIterable([1, 2].values());
  expect(await once.toArray()).toEqual([1, 2]);
  await expect(once.toArray()).rejects.toThrow(/only once/);
  expect(await fromIterable(() => new Blob(['ab']).stream()).toArray()).toHaveLength(1);
});

test('fit, evaluate and predict take datasets of batches, and know their number', async () => {
  const x = Array.from({ length: 10 }, (_, i) => [i / 10, 1 - i / 10]);
  const y = x.map(([a = 0]) => 2 * a);
  const trained = async (data: (net: ReturnType<typeof sequential>) => Promise<unknown>) => {
    const net = sequential([
      layers.inputLayer({ shape: [2] }),
      layers.dense({ units: 1, kernelInitializer: 'ones' }),
    ]);
    await net.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
    await data(net);
    return net;
  };
  const batches = fromTensorSlices([x, y]).batch(4);
  let steps: unknown;
  class Spy extends callbacks.Callback {
    override onTrainBegin() {
      steps = this.params.steps;
    }
  }
  const a = await trained((net) =>
    net.fit(batches, { epochs: 2, verbose: 0, validationData: batches, callbacks: [new Spy()] }),
  );
  const b = await trained((net) =>
    net.fit(x, y, {
      epochs: 2,
      batchSize: 4,
      verbose: 0,
      shuffle: false,
      validationData: [x, y],
      validationBatchSize: 4,
    }),
  );
  expect(steps).toBe(3);
  expect(a.history?.history).toEqual(b.history?.history);
  expect((await a.evaluate(batches, { verbose: 0 })).loss).toBe(
    (await b.evaluate(x, y, { batchSize: 4, verbose: 0 })).loss,
  );
  const predicted = await a.predict(
    batches.map(([inputs]) => inputs),
    { verbose: 0 },
  );
  expect((predicted as Tensor).shape).toEqual([10, 1]);
  await expect(a.fit(batches.repeat(), { verbose: 0 })).rejects.toThrow(/stepsPerEpoch/);
  await a.fit(batches.repeat(), { stepsPerEpoch: 2, verbose: 0 });
});

test('elements that differ, and invalid arguments', async () => {
  const faulty: [unknown[], RegExp][] = [
    [[[1, 2], [1]], /same structure/],
    [[{ a: 1 }, { b: 1 }], /same structure/],
    [[[1], ['a']], /all numbers/],
    [[new Float32Array(2), new Float32Array(3)], /paddedBatch/],
  ];
  for (const [elements, message] of faulty)
    await expect(fromIterable(elements).batch(2).toArray()).rejects.toThrow(message);
  await expect(
    range(1)
      .filter(() => 1 as never)
      .toArray(),
  ).rejects.toThrow(ValueError);
  await expect(range(1).repeat().toArray()).rejects.toThrow(/forever/);
  const calls: (() => unknown)[] = [
    () => range(1.5),
    () => range(2).batch(0),
    () => range(2).batch(1, { drop: true } as never),
    () => range(2).shuffle(0),
    () => range(2).take(-2),
    () => range(2).map(1 as never),
    () => range(2).window(0),
    () => zip([]),
    () => zip(1 as never),
    () => fromIterable(1 as never),
    () => range(2).concatenate([] as never),
    () => new Dataset(1 as never),
  ];
  for (const call of calls) expect(call).toThrow(ValueError);
});
