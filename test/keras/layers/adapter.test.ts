/** @file Low-rank adapters: what they compute, what training changes, what files get. Values of Keras are in kerasFiles.test.ts. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, type Tensor, tensor, ValueError } from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { clearSession, input, layers, model, sequential } from '../../../src/keras/index.ts';
import type { AdaptedLayer } from '../../../src/keras/layers/base/adapter.ts';

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

/** Values that repeat after 7. */
function formula(shape: readonly number[], step = 0.31): Tensor {
  const size = shape.reduce((product, n) => product * n, 1);
  return tensor(
    Float32Array.from({ length: size }, (_, i) => ((i * step * 7) % 1) - 0.5),
    { shape },
  );
}

const kinds: [string, () => AdaptedLayer, number[]][] = [
  ['dense', () => layers.dense({ units: 3, activation: 'tanh' }), [5]],
  ['einsumDense', () => layers.einsumDense('abc,cde->abde', [null, 2, 3], { biasAxes: 'e' }), [4, 5]],
  ['conv1d', () => layers.conv1d({ filters: 3, kernelSize: 2 }), [5, 2]],
  ['conv2d', () => layers.conv2d({ filters: 4, kernelSize: 2, groups: 2 }), [4, 4, 2]],
  ['conv3d', () => layers.conv3d({ filters: 2, kernelSize: 2 }), [3, 3, 3, 1]],
];

function adaptedNet(make: () => AdaptedLayer, shape: number[]) {
  const layer = make();
  const net = sequential([input({ shape }), layer, layers.flatten(), layers.dense({ units: 1 })]);
  layer.enableLora(2, { alpha: 3 });
  for (const weight of layer.weights)
    if (/lora/.test(weight.name ?? '')) weight.assign(formula(weight.shape));
  return { net, layer };
}

function expectClose(values: readonly number[], expected: readonly number[]) {
  expect(values).toHaveLength(expected.length);
  for (const [i, value] of values.entries()) expect(value).toBeCloseTo(expected[i] as number, 5);
}

const dataOf = async (x: unknown) => Array.from(await (x as Tensor).data());

describe.each(kinds)('%s', (_, make, shape) => {
  test('files get the sum of the kernel and the product of the matrices', async () => {
    const { net, layer } = adaptedNet(make, shape);
    const x = formula([2, ...shape], 0.17);
    const y = await dataOf(net.apply(x));
    const [kernel, , a, b] = layer.weights as unknown as [Tensor, Tensor, Tensor, Tensor];
    const [k, p, q] = [await dataOf(kernel), await dataOf(a), await dataOf(b)];
    const units = b.shape[1] as number;
    const sum = k.map((value, i) => {
      const [row, column] = [Math.floor(i / units), i % units];
      return (
        value +
        1.5 * ((p[2 * row] ?? 0) * (q[column] ?? 0) + (p[2 * row + 1] ?? 0) * (q[units + column] ?? 0))
      );
    });
    const target = new BytesTarget();
    await net.save(target);
    const again = await loadModel(target.bytes);
    const [stored] = again.weights;
    const values = await dataOf(stored);
    expectClose(sum, values);
    const predicted = await dataOf(again.apply(x));
    expectClose(y, predicted);
    const loaded = again.layers.find(({ className }) => className === layer.className) as AdaptedLayer;
    expect([loaded.loraRank, loaded.loraAlpha, loaded.loraEnabled]).toEqual([2, 3, true]);
  });

  test('training leaves the kernel as it is, and a file that is read takes the place of the adapter', async () => {
    const { net, layer } = adaptedNet(make, shape);
    const weightsFile = new BytesTarget();
    await net.saveWeights(weightsFile, { format: 'keras' });
    const [x, y] = [formula([4, ...shape]), formula([4, 1], 0.23)];
    const before = await dataOf(net.apply(x));
    expect(await dataOf(await net.predict(x))).toHaveLength(4);
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const names = layer.trainableWeights.map(({ name }) => name?.split('/').at(-1));
    expect(names).toEqual(['bias', 'lora_kernel_a', 'lora_kernel_b']);
    layer.trainable = false;
    layer.trainable = true;
    const old = await Promise.all(layer.weights.map(dataOf));
    await net.fit(x, y, { epochs: 2, verbose: 0 });
    const now = await Promise.all(layer.weights.map(dataOf));
    expect(now.map((values, i) => String(values) !== String(old[i]))).toEqual([false, true, true, true]);
    expect(await dataOf(await net.predict(x))).not.toEqual(before);
    await net.loadWeights(weightsFile.bytes);
    const restored = await dataOf(net.apply(x));
    expectClose(restored, before);
    expect(layer.weights.map(({ trainable }) => trainable)).toEqual([false, true, true, true]);
  });
});

test('embeddings have an adapter for the rows, also in reverse', async () => {
  const ids = input({ shape: [3], dtype: 'int32' });
  const rows = layers.reversibleEmbedding({ inputDim: 6, outputDim: 4, name: 'rows' });
  const net = model({ inputs: ids, outputs: rows.apply(rows.apply(ids) as never, { reverse: true }) });
  rows.enableLora(2);
  for (const weight of rows.weights.slice(1)) weight.assign(formula(weight.shape));
  expect(rows.weights.map(({ path }) => path)).toEqual([
    'rows/embeddings',
    'rows/lora_embeddings_a',
    'rows/lora_embeddings_b',
  ]);
  const x = tensor([[0, 3, 5]], { dtype: 'int32' });
  const y = await dataOf(net.apply(x));
  const target = new BytesTarget();
  await net.save(target);
  const again = await loadModel(target.bytes);
  const predicted = await dataOf(again.apply(x));
  expectClose(y, predicted);
});

test('a loaded model trains its adapter', async () => {
  const { net } = adaptedNet(() => layers.dense({ units: 3 }), [5]);
  const target = new BytesTarget();
  await net.save(target);
  const again = await loadModel(target.bytes);
  const [x, y] = [formula([4, 5]), formula([4, 1], 0.23)];
  again.compile({ optimizer: 'sgd', loss: 'mse' });
  await again.fit(x, y, { epochs: 2, verbose: 0 });
  const [, , a, b] = again.weights;
  expect((await dataOf(b)).some((value) => value !== 0)).toBe(true);
  expect((await dataOf(a)).every((value) => value !== 0)).toBe(true);
});

test('options make an adapter when the layer is built', () => {
  const layer = layers.dense({ units: 2, loraRank: 3, kernelRegularizer: 'l2' });
  expect(layer.loraEnabled).toBe(false);
  layer.build([null, 4]);
  expect(layer.weights.map(({ shape }) => shape)).toEqual([[4, 2], [2], [4, 3], [3, 2]]);
  expect(layer.weights.map(({ regularizer }) => regularizer !== null)).toEqual([true, false, true, true]);
  expect(layer.getConfig()).toMatchObject({ loraRank: 3, loraAlpha: 3 });
});

test('adapters that can’t be are typed errors', () => {
  const built = layers.dense({ units: 2 });
  expect(() => built.enableLora(2)).toThrow(/that is built/);
  built.build([null, 3]);
  expect(() => built.enableLora(0)).toThrow(ValueError);
  expect(() => built.enableLora(2, { lora_alpha: 1 } as never)).toThrow(ValueError);
  built.enableLora(2);
  expect(() => built.enableLora(2)).toThrow(/a second one/);
  const constrained = layers.dense({ units: 2, kernelConstraint: 'nonNeg' });
  constrained.build([null, 3]);
  expect(() => constrained.enableLora(2)).toThrow(/constraint/);
  const depthwise = layers.depthwiseConv2d({ kernelSize: 2 });
  depthwise.build([null, 3, 3, 1]);
  expect(() => depthwise.enableLora(2)).toThrow(/adapt another one/);
});
