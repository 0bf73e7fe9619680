/**
 * @file `dataFormat: 'channelsFirst'`: the same values as with channels last, transposed; shapes, states, records and errors. Values of Keras
 * are in keras.test.ts.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, randomNormal, type Tensor, transpose } from '../../../src/index.ts';
import { input, layers, model, sequential } from '../../../src/keras/index.ts';

const dataFormat = 'channelsFirst';
const toFirst = (x: Tensor) => transpose(x, { perm: [0, x.rank - 1, ...[...x.shape.keys()].slice(1, -1)] });

async function expectSame(found: Tensor, expected: Tensor): Promise<void> {
  expect(found.shape).toEqual(expected.shape);
  expect(await found.data()).toEqual(await expected.data());
}

beforeAll(async () => {
  await init();
});

describe('shapes', () => {
  test('of symbolic inputs with open sizes', () => {
    const x = input({ shape: [3, null, null] });
    expect(layers.conv2d(8, 3, { strides: 2, dataFormat }).apply(x).shape).toEqual([null, 8, null, null]);
    expect(layers.maxPooling2d({ dataFormat }).apply(x).shape).toEqual([null, 3, null, null]);
    expect(layers.globalMaxPooling2d({ dataFormat, keepDims: true }).apply(x).shape).toEqual([null, 3, 1, 1]);
    expect(layers.resizing(4, 5, { dataFormat }).apply(x).shape).toEqual([null, 3, 4, 5]);
  });

  test('of `computeOutputShape`', () => {
    const shapeOf = (
      layer: { computeOutputShape(shape: (number | null)[]): unknown },
      ...shape: (number | null)[]
    ) => layer.computeOutputShape(shape);
    expect(shapeOf(layers.conv2d(8, 3, { dataFormat }), null, 3, 9, 7)).toEqual([null, 8, 7, 5]);
    expect(shapeOf(layers.cropping2d(1, { dataFormat }), 2, 3, 9, 7)).toEqual([2, 3, 7, 5]);
    expect(shapeOf(layers.adaptiveMaxPooling2d([2, 4], { dataFormat }), 2, 3, 9, 7)).toEqual([2, 3, 2, 4]);
    expect(shapeOf(layers.convLSTM1d(4, 2, { dataFormat, returnSequences: true }), 2, 6, 3, 9)).toEqual([
      2, 6, 4, 8,
    ]);
    expect(shapeOf(layers.centerCrop(4, 5, { dataFormat }), 3, 9, 7)).toEqual([3, 4, 5]);
  });
});

describe('values', () => {
  test('states of a ConvLSTM', async () => {
    const options = { filters: 2, kernelSize: 2, padding: 'same', returnState: true } as const;
    const [last, first] = [layers.convLSTM1d(options), layers.convLSTM1d({ ...options, dataFormat })];
    const x = randomNormal([2, 3, 4, 5], { seed: 1 });
    const states = [randomNormal([2, 4, 2], { seed: 2 }), randomNormal([2, 4, 2], { seed: 3 })];
    const expected = last.apply(x, { initialState: states });
    const moved = transpose(x, { perm: [0, 1, 3, 2] });
    first.ensureBuilt(moved.shape);
    first.setWeights(last.getWeights());
    const found = first.apply(moved, { initialState: states.map(toFirst) });
    for (const [i, state] of expected.entries()) await expectSame(found[i] as Tensor, toFirst(state));
  });

  test('a stateful ConvLSTM continues', async () => {
    const options = { filters: 1, kernelSize: 2, padding: 'same', stateful: true } as const;
    const [last, first] = [layers.convLSTM1d(options), layers.convLSTM1d({ ...options, dataFormat })];
    const x = randomNormal([1, 3, 4, 2], { seed: 1 });
    const moved = transpose(x, { perm: [0, 1, 3, 2] });
    first.ensureBuilt(moved.shape);
    last.ensureBuilt(x.shape);
    first.setWeights(last.getWeights());
    for (let i = 0; i < 2; i++)
      await expectSame(first.apply(moved) as Tensor, toFirst(last.apply(x) as Tensor));
  });

  test('images with labels and masks, and without a batch', async () => {
    const [last, first] = [layers.resizing(2, 3), layers.resizing(2, 3, { dataFormat })];
    const [images, segmentationMasks] = [
      randomNormal([2, 4, 5, 3], { seed: 1 }),
      randomNormal([2, 4, 5, 1], { seed: 2 }),
    ];
    const labels = randomNormal([2, 7, 6], { seed: 3 });
    const expected = last.apply({ images, segmentationMasks, labels });
    const found = first.apply({
      images: toFirst(images),
      segmentationMasks: toFirst(segmentationMasks),
      labels,
    });
    await expectSame(found.images, toFirst(expected.images));
    await expectSame(found.segmentationMasks, toFirst(expected.segmentationMasks));
    await expectSame(found.labels, labels);
    const image = randomNormal([4, 5, 3], { seed: 4 });
    const single = first.apply(transpose(image, { perm: [2, 0, 1] }));
    await expectSame(single, transpose(last.apply(image), { perm: [2, 0, 1] }));
  });

  test('spatial dropout clears whole channels', async () => {
    const x = randomNormal([1, 6, 2, 3], { seed: 1 });
    const y = layers.spatialDropout2d(0.5, { dataFormat, seed: 4 }).apply(x, { training: true });
    const values = await y.data();
    const cleared = Array.from(
      { length: 6 },
      (_, i) => values.slice(6 * i, 6 * i + 6).filter((v) => v === 0).length,
    );
    expect(cleared.every((count) => count === 0 || count === 6)).toBe(true);
    expect(new Set(cleared).size).toBe(2);
  });

  test('a model trains', async () => {
    const net = sequential([
      layers.inputLayer({ shape: [2, 6, 6] }),
      layers.conv2d(4, 3, { dataFormat, activation: 'relu' }),
      layers.globalAveragePooling2d({ dataFormat }),
      layers.dense(1),
    ]);
    net.compile({ optimizer: 'adam', loss: 'mse' });
    const [x, y] = [randomNormal([8, 2, 6, 6], { seed: 1 }), randomNormal([8, 1], { seed: 2 })];
    const { history } = await net.fit(x, y, { epochs: 3, batchSize: 4, shuffle: false, verbose: 0 });
    expect(history.loss?.at(-1)).toBeLessThan(history.loss?.[0] as number);
  });
});

describe('errors', () => {
  test('a built layer names the axis that it requires', () => {
    const conv = layers.conv2d(4, 3, { dataFormat, name: 'conv' });
    conv.apply(randomNormal([1, 3, 8, 8]));
    expect(() => conv.apply(randomNormal([1, 8, 8, 3]))).toThrow('axis 1 of its input must have size 3');
    const lstm = layers.convLSTM1d(2, 2, { dataFormat, name: 'lstm' });
    lstm.apply(randomNormal([1, 2, 3, 8]));
    expect(() => lstm.apply(randomNormal([1, 2, 3, 7]))).toThrow('axis 3 of its input must have size 8');
  });

  test('shapes of a message are also given as the caller wrote them', () => {
    const conv = layers.conv2d(4, 5, { dataFormat, name: 'conv' });
    expect(() => conv.apply(randomNormal([1, 3, 4, 9]))).toThrow(
      "'conv' takes channels last: [1, 3, 4, 9] is [1, 4, 9, 3] above",
    );
    const open = layers.conv2d(4, 5, { dataFormat });
    expect(() => open.apply(input({ shape: [null, 8, 9] }))).toThrow(
      '[null, null, 8, 9] is [null, 8, 9, null] above',
    );
  });

  test("an app's class that overrides `call` takes channels last", () => {
    class Doubled extends layers.Conv2D {
      override call(x: Tensor): Tensor {
        return super.call(x);
      }
    }
    expect(() => new Doubled({ filters: 1, kernelSize: 1, dataFormat })).toThrow(/overrides `call`/);
    expect(new Doubled({ filters: 1, kernelSize: 1 }).dataFormat).toBe('channelsLast');
  });

  test('the graph of a model checks them at once', () => {
    const x = input({ shape: [3, 4, 4] });
    expect(() => model({ inputs: x, outputs: layers.cropping2d(2, { dataFormat }).apply(x) })).toThrow(
      '[null, 3, 4, 4] is [null, 4, 4, 3] above',
    );
  });
});
