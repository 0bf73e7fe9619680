/** @file Single feed-forward layers beyond the battery. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  GradientTape,
  init,
  memory,
  mul,
  ones,
  ShapeError,
  sum,
  type Tensor,
  tensor,
  ValueError,
} from '../../../src/index.ts';
import { initializers, input, layers, model } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const near = async (y: Tensor, wanted: readonly number[]) => {
  const found = Array.from((await y.data()) as Float32Array);
  expect(found).toHaveLength(wanted.length);
  wanted.forEach((value, i) => {
    expect(found[i]).toBeCloseTo(value, 4);
  });
};

describe('normalization', () => {
  const data = [
    [0, 7, 4],
    [2, 9, 6],
    [0, 7, 4],
    [2, 9, 6],
  ];

  // The examples of Keras's documentation.
  test('learns moments from data', async () => {
    const layer = layers.normalization({ axis: -1 });
    layer.adapt(tensor(data));
    await near(layer.apply(tensor([[0, 7, 4]])), [-1, -1, -1]);
    const scalar = layers.normalization({ axis: null });
    scalar.adapt(tensor([1, 2, 3, 4, 5]));
    await near(scalar.apply(tensor([1, 2, 3])), [-Math.SQRT2, -Math.SQRT1_2, 0]);
    const inverse = layers.normalization({ invert: true });
    inverse.adapt(tensor(data));
    await near(inverse.apply(tensor([[1, 2, 3]])), [2, 10, 8]);
  });

  test('learns the same from batches of any sizes, and forgets what it learned before', async () => {
    const layer = layers.normalization();
    layer.adapt(tensor([[100, 100, 100]]));
    layer.adapt([tensor(data.slice(0, 1)), tensor(data.slice(1)), tensor([], { shape: [0, 3] })]);
    const whole = layers.normalization();
    whole.adapt(tensor(data));
    for (const [i, weight] of layer.weights.slice(0, 2).entries()) {
      await near(weight, (await whole.weights[i]?.array()) as number[]);
    }
    expect(layer.weights.map(({ path, dtype }) => [path.split('/')[1], dtype])).toEqual([
      ['mean', 'float32'],
      ['variance', 'float32'],
      ['count', 'int32'],
    ]);
    expect(layer.trainableWeights).toEqual([]);
  });

  test('given moments are not weights, and are freed with the layer', () => {
    const before = memory().tensors;
    const layer = layers.normalization({ mean: [1, 2], variance: [1, 1] });
    layer.ensureBuilt([null, 2]);
    expect(layer.weights).toEqual([]);
    layer.dispose();
    expect(memory().tensors).toBe(before);
    const x = input({ shape: [2] });
    const inner = model({ inputs: x, outputs: layers.normalization({ mean: 1, variance: 1 }).apply(x) });
    const y = input({ shape: [2] });
    model({ inputs: y, outputs: inner.apply(y) }).dispose();
    expect(memory().tensors).toBe(before);
  });

  test.each<[string, () => unknown, new (...args: never[]) => Error]>([
    [
      'moments that were given',
      () => layers.normalization({ mean: 0, variance: 1 }).adapt(tensor([1])),
      ValueError,
    ],
    ['no batches', () => layers.normalization().adapt([]), ValueError],
    ['words', () => layers.normalization().adapt([['one', 'two']] as never), ValueError],
    ['a number', () => layers.normalization().adapt(3 as never), ValueError],
    [
      'other features than it was built for',
      () => {
        const layer = layers.normalization();
        layer.ensureBuilt([null, 2]);
        layer.adapt(tensor([[1, 2, 3]]));
      },
      ShapeError,
    ],
  ])('does not adapt to %s', (_, call, error) => {
    expect(call).toThrow(error);
  });
});

describe('single layers', () => {
  test('a causal convolution sees no step that comes later', async () => {
    const layer = layers.conv1d({
      filters: 1,
      kernelSize: 2,
      padding: 'causal',
      dilationRate: 2,
      kernelInitializer: 'ones',
    });
    await near(layer.apply(tensor([[[1], [10], [100], [1000]]])), [1, 10, 101, 1010]);
  });

  test('an activity penalty is averaged over samples, and has a gradient', async () => {
    const layer = layers.activityRegularization({ l1: 0.5, l2: 2 });
    const x = tensor([
      [1, -2],
      [0, 3],
    ]);
    const tape = new GradientTape();
    tape.watch(x);
    layer.apply(x);
    const [loss] = layer.losses as [Tensor];
    await near(loss, [(0.5 * 6 + 2 * 14) / 2]);
    await near(tape.gradient(loss, x) as Tensor, [2.25, -4.25, 0, 6.25]);
    // The example of Keras's documentation: 0.25 for the kernel, 5 for the outputs.
    const documented = layers.dense({
      units: 5,
      kernelInitializer: 'ones',
      kernelRegularizer: { className: 'L1', config: { l1: 0.01 } },
      activityRegularizer: { className: 'L2', config: { l2: 0.01 } },
    });
    documented.apply(mul(ones([5, 5]), 2));
    const total = await Promise.all(documented.losses.map((each) => each.item()));
    expect(total.reduce((a, b) => a + b)).toBeCloseTo(5.25, 5);
  });

  test('penalties and constraints reach the weights they are named after', () => {
    const layer = layers.separableConv2d({
      filters: 1,
      kernelSize: 1,
      depthwiseRegularizer: 'l1',
      pointwiseRegularizer: 'l2',
      pointwiseConstraint: 'nonNeg',
      biasConstraint: 'unitNorm',
    });
    layer.ensureBuilt([null, 4, 4, 2]);
    expect(
      layer.weights.map(({ regularizer, constraint }) => [regularizer?.className, constraint?.className]),
    ).toEqual([
      ['L1', undefined],
      ['L2', 'NonNeg'],
      [undefined, 'UnitNorm'],
    ]);
    expect(layer.losses).toHaveLength(2);
  });

  test('a unit norm of zeros is zeros, with a gradient without NaN', async () => {
    const x = tensor([[0, 0]]);
    const tape = new GradientTape();
    tape.watch(x);
    const y = layers.unitNormalization().apply(x);
    await near(y, [0, 0]);
    expect((await (tape.gradient(sum(y), x) as Tensor).data()).some(Number.isNaN)).toBe(false);
  });

  test('layers of one coefficient, one window or one list read their configuration back', () => {
    const layer = layers.conv1d({
      filters: 2,
      kernelSize: 3,
      activation: 'relu',
      kernelInitializer: initializers.heNormal({ seed: 2 }),
    });
    expect(layer.getConfig()).toMatchObject({
      filters: 2,
      kernelSize: [3],
      strides: [1],
      padding: 'valid',
      dataFormat: 'channelsLast',
      dilationRate: [1],
      groups: 1,
      activation: 'relu',
      useBias: true,
      kernelInitializer: { className: 'HeNormal' },
      kernelRegularizer: null,
      biasConstraint: null,
    });
  });

  test('reject other channels than they were built for', () => {
    const built = [
      layers.conv1d({ filters: 1, kernelSize: 1 }),
      layers.layerNormalization(),
      layers.batchNormalization(),
      layers.prelu(),
    ];
    for (const layer of built) {
      layer.ensureBuilt([null, 4, 3]);
      expect(() => layer.apply(tensor([[[1], [1], [1], [1]]]))).toThrow(ShapeError);
    }
  });
});
