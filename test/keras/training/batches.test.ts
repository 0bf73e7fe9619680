import { beforeAll, describe, expect, test } from 'vitest';
import { init, memory, type Tensor, tensor } from '../../../src/index.ts';
import { input, layers, model, optimizers } from '../../../src/keras/index.ts';
import { data, regressor, wave } from './support.ts';

beforeAll(async () => {
  await init();
});

describe('batches from iterables', () => {
  function* batches(count: number) {
    for (let i = 0; i < count; i++) yield [wave([2, 2], i + 0.37), wave([2, 1], i + 1.3)];
  }

  test('train, their tensors freed', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await net.fit(() => batches(1));
    const before = memory();
    const { history, params } = await net.fit(() => batches(3), { epochs: 2 });
    expect(history.loss).toHaveLength(2);
    expect(params.steps).toBe(3);
    expect(memory().tensors).toBe(before.tensors);
  });

  test.each([
    ['targets of another length', () => [wave([2, 2]), wave([3, 1])]],
    ['no targets', () => [wave([2, 2]), 'targets']],
    ['a record', () => ({ xs: { input: wave([2, 2]) }, ys: [1, 2, 3] })],
  ])('that are rejected are freed: %s', async (_, item) => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const run = () => net.fit(() => [item()] as never);
    await expect(run()).rejects.toThrow();
    const before = memory().tensors;
    for (let i = 0; i < 2; i++) await expect(run()).rejects.toThrow();
    expect(memory().tensors).toBe(before);
  });

  test('come late, as TF.js spells them, with weights', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    async function* late() {
      for (const [xs, ys] of batches(3)) {
        await new Promise((resolve) => setTimeout(resolve, 2));
        yield { xs: xs as Tensor, ys: ys as Tensor, sampleWeight: [1, 0] };
      }
    }
    const { history } = await net.fit(late, null, { epochs: 2 });
    expect(history.loss?.every(Number.isFinite)).toBe(true);
  });

  test('come as records with the names of arguments', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const before = net.getWeights();
    const losses = [];
    for (const isRecord of [false, true]) {
      net.setWeights(before);
      const [[x, y]] = [...batches(1)] as [[Tensor, Tensor]];
      const sampleWeight = [1, 0.5];
      const items = () => [isRecord ? { x, y, sampleWeight } : [x, y, sampleWeight]];
      const { history } = await net.fit(items as never, null, {
        validationData: isRecord ? { x: wave([2, 2]), y: [1, 2] } : [wave([2, 2]), [1, 2]],
      });
      losses.push(history.loss, history.val_loss);
    }
    expect(losses.slice(2)).toEqual(losses.slice(0, 2));
  });

  test('without end, with steps', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const { epoch } = await net.fit(batches(1e6), { epochs: 3, stepsPerEpoch: 2 });
    expect(epoch).toEqual([0, 1, 2]);
  });

  test('that run out say where', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await expect(net.fit(batches(5), { epochs: 3, stepsPerEpoch: 2 })).rejects.toThrow(
      /1 batches in epoch 3 of 3, which has 2 steps/,
    );
    await expect(net.fit(batches(2), { epochs: 2 })).rejects.toThrow(/yields its batches only once/);
    await expect(net.fit(() => batches(0))).rejects.toThrow(/at least one batch/);
  });

  test('have their own sizes and weights', async () => {
    const net = regressor();
    net.compile({ loss: 'mse' });
    const [x, y] = data(2);
    await expect(net.fit((() => batches(1)) as never, y, {})).rejects.toThrow(/used as they come/);
    await expect(net.fit(() => batches(1), { batchSize: 2 })).rejects.toThrow(/batchSize/);
    await expect(net.fit(() => batches(1), { validationSplit: 0.5 })).rejects.toThrow(/validationSplit/);
    await expect(net.evaluate(() => batches(1), { sampleWeight: [1] })).rejects.toThrow(/sampleWeight/);
    void x;
  });
});

describe('weights of samples', () => {
  test('weight the loss, and the weighted metrics', async () => {
    const [x, y] = [
      tensor([
        [0, 0],
        [0, 0],
      ]),
      tensor([[1], [3]]),
    ];
    const features = input({ shape: [2] });
    const top = layers.dense({ units: 1, useBias: false });
    const net = model({ inputs: features, outputs: top.apply(features) });
    net.compile({ optimizer: 'sgd', loss: 'mse', metrics: ['mae'], weightedMetrics: ['mae'] });
    const { history } = await net.fit(x, y, { sampleWeight: [2, 0] });
    expect(history).toEqual({ loss: [(2 * 1 + 0 * 9) / 2], mae: [2], weighted_mae: [1] });
    const logs = await net.evaluate(x, y, { sampleWeight: new Float32Array([0, 1]) });
    expect(logs).toEqual({ loss: 4.5, mae: 2, weighted_mae: 3 });
  });

  test('come by class', async () => {
    const features = input({ shape: [2] });
    const top = layers.dense({ units: 2, activation: 'softmax', kernelInitializer: 'zeros' });
    const net = model({ inputs: features, outputs: top.apply(features) });
    net.compile({ optimizer: optimizers.sgd({ learningRate: 0 }), loss: 'sparseCategoricalCrossentropy' });
    const { history } = await net.fit(wave([4, 2]), [0, 1, 1, 1], { classWeight: { 0: 6 }, batchSize: 3 });
    expect(history.loss?.[0]).toBeCloseTo((Math.log(2) * (6 + 3)) / 4, 5);
  });
});
