/** @file Host values on the device, by every way to upload them. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DTypeError,
  fill,
  freshTensor,
  gather,
  type HostValues,
  IndexOutOfRangeError,
  init,
  memory,
  oneHot,
  pad,
  range,
  RetrogradError,
  scatterAdd,
  ShapeError,
  takeAlongAxis,
  Tensor,
  tensor,
  ValueError,
  variable,
} from '../../src/index.ts';
import { clearSession, layers, losses, metrics, sequential } from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

const wide = 2 ** 32 + 3;

describe('integers are exact or rejected', () => {
  const badInts: [string, HostValues][] = [
    ['2^32 + 3', wide],
    ['in a list', [1, wide]],
    ['2^31', [2 ** 31]],
    ['-2^31 - 1', [-(2 ** 31) - 1]],
    ['NaN', [Number.NaN]],
    ['Infinity', [[Number.POSITIVE_INFINITY]]],
    ['-Infinity', new Float32Array([0, Number.NEGATIVE_INFINITY])],
    ['a Float64Array', Float64Array.of(wide)],
    ['a Uint32Array', Uint32Array.of(2 ** 31)],
    ['typed rows', [Float64Array.of(1, 2), Float64Array.of(3, wide)] as unknown as HostValues],
  ];
  test.each(badInts)('%s is no int32', (_, values) => {
    for (const make of [tensor, freshTensor])
      expect(() => make(values, { dtype: 'int32' })).toThrow(ValueError);
  });

  test.each<[string, HostValues]>([
    ['-1', [-1]],
    ['-1 of an Int32Array', Int32Array.of(-1)],
    ['-1 of an Int8Array', Int8Array.of(-1)],
    ['2^32', [2 ** 32]],
    ['NaN', Float32Array.of(Number.NaN)],
  ])('%s is no uint32', (_, values) => {
    expect(() => tensor(values, { dtype: 'uint32' })).toThrow(ValueError);
  });

  test('fractions are dropped, as in NumPy', async () => {
    expect([...(await tensor([1.9, -1.9, 0.5], { dtype: 'int32' }).data())]).toEqual([1, -1, 0]);
    expect([...(await tensor([2.5], { dtype: 'uint32' }).data())]).toEqual([2]);
  });

  test('the error names value, position and range', () => {
    const values = [
      [0, 1],
      [2, wide],
    ];
    expect(() => tensor(values, { dtype: 'int32' })).toThrow(
      /tensor: int32 holds integers in \[-2147483648, 2147483647\][\s\S]*\[1, 1\]: 4294967299[\s\S]*hint/,
    );
    expect(() => tensor(Float32Array.of(0, 1, Number.NaN, 3), { dtype: 'int32', shape: [2, 2] })).toThrow(
      /\[1, 0\]: NaN/,
    );
  });

  test('the ends of the ranges, and negative zero, are held', async () => {
    const ends = [-(2 ** 31), 2 ** 31 - 1, -0];
    expect([...(await tensor(ends, { dtype: 'int32' }).data())]).toEqual([-(2 ** 31), 2 ** 31 - 1, 0]);
    expect([...(await tensor([0, 2 ** 32 - 1], { dtype: 'uint32' }).data())]).toEqual([0, 2 ** 32 - 1]);
    expect([...(await tensor(Uint32Array.of(7), { dtype: 'int32' }).data())]).toEqual([7]);
    expect([...(await tensor(Int32Array.of(7), { dtype: 'uint32' }).data())]).toEqual([7]);
    expect([...(await tensor(Uint8Array.of(255)).data())]).toEqual([255]);
    expect([...(await tensor(Int16Array.of(-5)).data())]).toEqual([-5]);
  });

  test('options that are stored as integers, too', () => {
    const x = tensor([[1, 2]], { dtype: 'int32' });
    for (const value of [wide, Number.NaN, 1.5]) {
      expect(() => fill([2], value, { dtype: 'int32' })).toThrow(ValueError);
      expect(() =>
        pad(x, {
          paddings: [
            [0, 0],
            [1, 0],
          ],
          constantValue: value,
        }),
      ).toThrow(ValueError);
      expect(() => gather(x, [0], { mode: 'fill', fillValue: value })).toThrow(ValueError);
      expect(() => takeAlongAxis(x, [[0]], { axis: 1, mode: 'fill', fillValue: value })).toThrow(ValueError);
      expect(() => oneHot([0], { depth: 2, dtype: 'int32', onValue: value })).toThrow(ValueError);
      expect(() => oneHot([0], { depth: 2, dtype: 'int32', offValue: value })).toThrow(ValueError);
    }
    expect(() => range(2 ** 31, 2 ** 31 + 2, { dtype: 'int32' })).toThrow(ValueError);
    expect(() => range(-1, 2, { dtype: 'uint32' })).toThrow(ValueError);
    expect(() => range(0, 2 ** 33, 2 ** 32, { dtype: 'int32' })).toThrow(ValueError);
  });
});

test('floats keep NaN and round to float32 and float16 as in NumPy', async () => {
  const values = [1e39, -1e39, Number.NaN, 1e-46, 0.1];
  const expected = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 0, Math.fround(0.1)];
  expect([...(await tensor(values).data())]).toEqual(expected);
  expect([...(await tensor(Float64Array.from(values)).data())]).toEqual(expected);
  const half = await tensor([65520, -65520, Number.NaN, 1], { dtype: 'float16' }).data();
  expect([...half]).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1]);
});

test('to bool, anything but 0 is true, as in cast', async () => {
  const made = tensor([0, -0, 2, Number.NaN, wide], { dtype: 'bool' });
  expect([...(await made.data())]).toEqual([0, 0, 1, 1, 1]);
});

describe('what is no list of numbers is rejected', () => {
  const gone = new Float32Array([1, 2]);
  structuredClone(gone, { transfer: [gone.buffer] });
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  const bushy: unknown[] = [];
  bushy.push(bushy, bushy);
  let deep: unknown = 1;
  for (let i = 0; i < 10_000; i++) deep = [deep];
  test.each<[string, unknown]>([
    ['BigInt64Array', BigInt64Array.of(1n)],
    ['BigUint64Array in a list', [BigUint64Array.of(1n)]],
    ['a BigInt', 1n],
    ['BigInts', [1n, 2n]],
    ['a DataView', new DataView(new ArrayBuffer(8))],
    ['a cyclic list', cyclic],
    ['a bushy cyclic list', bushy],
    ['a deep list', deep],
    ['strings', ['1', '2']],
    ['undefined in a list', [1, undefined]],
    ['null', null],
    ['holes', new Array(3)],
    ['many holes', new Array(2 ** 32 - 1)],
    ['something like an array', { length: 2 ** 40, 0: 1 }],
    ['boxed numbers', [Object(1)]],
    ['symbols', [Symbol('x')]],
    ['a date', new Date()],
    ['a typed array whose memory is gone', gone],
    ['an ArrayBuffer', new ArrayBuffer(8)],
    ['a Map', new Map([[0, 1]])],
  ])('%s', (_, values) => {
    for (const dtype of [undefined, 'float32', 'int32', 'bool', 'float16'] as const) {
      const upload = () => tensor(values as HostValues, dtype ? { dtype } : {});
      expect(upload).toThrow(RetrogradError);
      expect(upload).toThrow(/hint/);
    }
  });

  test('shared memory is fine', async () => {
    const shared = new Int32Array(new SharedArrayBuffer(8)).fill(3);
    expect([...(await tensor(shared).data())]).toEqual([3, 3]);
    expect([...(await tensor(shared, { dtype: 'float32' }).data())]).toEqual([3, 3]);
  });

  test('an unknown dtype, and a shape that is none', () => {
    expect(() => tensor([1], { dtype: 'int64' as 'int32' })).toThrow(DTypeError);
    expect(() => tensor([1], { shape: 1 as unknown as number[] })).toThrow(ShapeError);
  });
});

describe('indices from the host', () => {
  const x = () =>
    tensor([
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
    ]);
  test.each([
    ['2^32 + 3', [wide]],
    ['NaN', [Number.NaN]],
    ['a Float64Array', Float64Array.of(wide)],
    ['a Uint32Array', Uint32Array.of(2 ** 32 - 1)],
    ['a number', wide],
  ] as [string, HostValues][])('%s', (_, indices) => {
    for (const options of [{}, { mode: 'wrap' }] as const)
      expect(() => gather(x(), indices, options)).toThrow(RetrogradError);
    expect(() => oneHot(indices, { depth: 4 })).toThrow(ValueError);
    expect(() => scatterAdd(indices, [[1, 1]], { shape: [4, 2] })).toThrow(RetrogradError);
  });

  test('one that is out of range is a fault of its axis, whether int32 holds it or not', () => {
    expect(() => gather(x(), [7])).toThrow(IndexOutOfRangeError);
    expect(() => gather(x(), [wide])).toThrow(IndexOutOfRangeError);
  });

  test('clipped or unchecked, one beyond int32 is beyond the axis', async () => {
    const ids = [wide, -wide];
    expect(await gather(x(), ids, { mode: 'clip' }).array()).toEqual([
      [7, 8],
      [1, 2],
    ]);
    expect(await gather(x(), ids, { validateIndices: false }).array()).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
});

describe('training data', () => {
  const ids = (dtype: 'int32' | 'float32') => {
    const net = sequential([
      layers.input({ shape: [2], dtype }),
      layers.embedding({ inputDim: 8, outputDim: 3 }),
      layers.flatten(),
      layers.dense({ units: 3, activation: 'softmax' }),
    ]);
    net.compile({ optimizer: 'sgd', loss: 'sparseCategoricalCrossentropy', metrics: ['accuracy'] });
    return net;
  };
  const rows = (last: number) => [
    [0, 1],
    [2, last],
  ];
  const options = { epochs: 1, batchSize: 2, verbose: 0, shuffle: false } as const;

  test.each([wide, Number.NaN, 2 ** 31, -(2 ** 33)])('an id %d never trains as another', async (id) => {
    for (const dtype of ['int32', 'float32'] as const) {
      for (const x of [rows(id), Float64Array.from(rows(id).flat()), Float32Array.from(rows(id).flat())]) {
        if (dtype === 'int32') await expect(ids(dtype).fit(x, [0, 1], options)).rejects.toThrow(ValueError);
        else await expect(ids(dtype).fit(x, [0, 1], options)).rejects.toThrow(IndexOutOfRangeError);
        await expect(ids(dtype).predict(x)).rejects.toThrow(RetrogradError);
      }
    }
  });

  test.each([wide, Number.NaN, Number.POSITIVE_INFINITY, -(2 ** 33)])(
    'a label %d is no class',
    async (label) => {
      const before = memory().tensors;
      for (const y of [[0, label], Float32Array.of(0, label), Float64Array.of(0, label)]) {
        using net = ids('int32');
        await expect(net.fit(rows(1), y, options)).rejects.toThrow(IndexOutOfRangeError);
        await expect(net.evaluate(rows(1), y, { verbose: 0 })).rejects.toThrow(IndexOutOfRangeError);
      }
      expect(memory().tensors).toBeLessThanOrEqual(before + 100);
    },
  );

  test('labels of losses and metrics', async () => {
    const scores = [[0.8, 0.2]];
    for (const label of [Number.NaN, wide])
      expect(() => losses.sparseCategoricalCrossentropy([label], scores)).toThrow(RetrogradError);
    const onDevice = losses.sparseCategoricalCrossentropy(tensor([Number.NaN]), scores) as Tensor;
    await expect(onDevice.data()).rejects.toThrow(IndexOutOfRangeError);
    const accuracy = metrics.sparseCategoricalAccuracy();
    accuracy.updateState(tensor([Number.NaN]), tensor(scores));
    expect(await accuracy.result().item()).toBe(0);
    const topK = metrics.sparseTopKCategoricalAccuracy({ k: 2 });
    topK.updateState(tensor([Number.NaN]), tensor(scores));
    expect(await topK.result().item()).toBe(0);
  });

  test('values of weights', () => {
    const count = variable(tensor([1, 2], { dtype: 'int32' }));
    expect(() => count.assign(tensor([1, wide], { dtype: 'int32' }))).toThrow(ValueError);
    expect(count).toBeInstanceOf(Tensor);
  });
});
