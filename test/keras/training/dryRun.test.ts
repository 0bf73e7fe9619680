/** @file `warmup(model)`: everything that the first batch needs is compiled in advance, and nothing else changes. */
import { describe, expect, test } from 'vitest';
import {
  getDevice,
  memory,
  ones,
  randomUniform,
  type Tensor,
  tensor,
  tidy,
  ValueError,
  warmup,
} from '../../../src/index.ts';
import { input, layers, Model, model, sequential } from '../../../src/keras/index.ts';
import { ownDevice } from '../../support/ownDevice.ts';
import { reuseGpu } from '../../support/reusedGpu.ts';

const openGpu = reuseGpu();

const classes = 3;

/** Returns everything that has a state in training: batch statistics, dropout, Adam, metrics. */
function classifier() {
  const net = sequential({
    layers: [
      layers.inputLayer({ shape: [8, 8, 2] }),
      layers.conv2d({ filters: 4, kernelSize: 3, activation: 'relu' }),
      layers.batchNormalization(),
      layers.maxPooling2d(),
      layers.flatten(),
      layers.dropout({ rate: 0.2, seed: 5 }),
      layers.dense({ units: classes, activation: 'softmax' }),
    ],
  });
  net.setWeights(
    tidy(() => net.weights.map(({ shape }, i) => randomUniform(shape, { seed: i, min: 0.01, max: 0.2 }))),
  );
  net.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy', metrics: ['accuracy'] });
  return net;
}

const data = (rows: number) => ({
  x: Float32Array.from({ length: rows * 128 }, (_, i) => Math.sin(i)),
  y: Int32Array.from({ length: rows }, (_, i) => (i * 7) % classes),
});

const pipelines = () => getDevice().pipelineCount;

async function weightsOf(net: Model): Promise<number[][]> {
  return Promise.all(net.weights.map(async (weight) => [...(await weight.data())]));
}

describe('warmup of a model', () => {
  test('compiles all pipelines of the first epoch, without changing its result', async () => {
    const { x, y } = data(24);
    const options = { batchSize: 8, epochs: 2, seed: 3, verbose: 0 as const };
    const results: unknown[] = [];
    for (const warm of [false, true]) {
      await using _own = await ownDevice({ open: openGpu });
      const net = classifier();
      if (warm) {
        const before = await weightsOf(net);
        expect(await warmup(net, { batchSize: 8, training: true })).toBeGreaterThan(10);
        expect(await weightsOf(net)).toEqual(before);
        expect(net.optimizer?.iterations).toBe(0);
      }
      const before = pipelines();
      const { history } = await net.fit(x, y, options);
      if (warm) expect(pipelines()).toBe(before);
      expect(history.loss?.every((loss) => Number.isFinite(loss))).toBe(true);
      results.push([history, await weightsOf(net)]);
    }
    expect(results[1]).toEqual(results[0]);
  });

  test('also compiles those of validation and trainOnBatch', async () => {
    await using _own = await ownDevice({ open: openGpu });
    const net = classifier();
    const { x, y } = data(16);
    await warmup(net, { batchSize: 8, training: true });
    const before = pipelines();
    await net.fit(x, y, { batchSize: 8, validationData: [x, y], verbose: 0 });
    expect(pipelines()).toBe(before);
    const after = pipelines();
    await net.trainOnBatch(x.subarray(0, 8 * 128), y.subarray(0, 8));
    expect(pipelines()).toBe(after);
  });

  test('also compiles those of predictions and calls', async () => {
    await using _own = await ownDevice({ open: openGpu });
    const net = classifier();
    await warmup(net, { batchSize: 8 });
    const images = tensor(data(16).x, { shape: [16, 8, 8, 2] });
    const before = pipelines();
    const predicted = await net.predict(images, { batchSize: 8, verbose: 0 });
    expect(pipelines()).toBe(before);
    const after = pipelines();
    const called = tidy(() => net.apply(images));
    expect(pipelines()).toBe(after);
    const [a, b] = await Promise.all([predicted.data(), called.data()]);
    a.forEach((value, i) => {
      expect(value).toBeCloseTo(b[i] as number, 6);
    });
  });

  test('takes specs for what the model does not know, by position or by name', async () => {
    await using _own = await ownDevice({ open: openGpu });
    class Two extends Model<Tensor[]> {
      readonly dense = layers.dense({ units: 2 });
      readonly join = layers.concatenate();
      override call([a, b]: Tensor[]): Tensor {
        return this.dense.apply(this.join.apply([a as Tensor, b as Tensor]));
      }
    }
    const net = new Two();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await expect(warmup(net, { training: true })).rejects.toThrow(/inputs of a model without a graph/);
    const x = [{ shape: [4, 3] }, { shape: [4, 2] }];
    await expect(warmup(net, { x, training: true })).rejects.toThrow(/specs of targets/);
    await warmup(net, { batchSize: 4, x, y: { shape: [4, 2] }, training: true });
    expect(net.weights).toHaveLength(2);
    const before = pipelines();
    await net.fit([ones([8, 3]), ones([8, 2])], ones([8, 2]), { batchSize: 4, verbose: 0 });
    expect(pipelines()).toBe(before);
  });

  test('several outputs with their own losses', async () => {
    await using _own = await ownDevice({ open: openGpu });
    const x = input({ shape: [4] });
    const net = model({
      inputs: x,
      outputs: {
        kind: layers.dense({ units: classes, activation: 'softmax' }).apply(x),
        size: layers.dense({ units: 1 }).apply(x),
      },
    });
    net.compile({ loss: { kind: 'sparseCategoricalCrossentropy', size: 'mse' }, metrics: { size: 'mae' } });
    await warmup(net, { batchSize: 4, training: true });
    const before = pipelines();
    const y = { kind: Int32Array.of(0, 1, 2, 0, 1, 2, 0, 1), size: ones([8, 1]) };
    await net.fit(ones([8, 4]), y, { batchSize: 4, verbose: 0 });
    expect(pipelines()).toBe(before);
  });

  test('leaves nothing behind but permanent objects', async () => {
    await using _own = await ownDevice({ open: openGpu });
    const net = classifier();
    await warmup(net, { batchSize: 8, training: true });
    const { tensors } = memory();
    await warmup(net, { batchSize: 8, training: true });
    await warmup(net, { batchSize: 4 });
    expect(memory().tensors).toBe(tensors);
  });

  test('reports what is missing', async () => {
    await using _own = await ownDevice({ open: openGpu });
    const plain = sequential({ layers: [layers.inputLayer({ shape: [4] }), layers.dense({ units: 2 })] });
    await expect(warmup(plain, { training: true })).rejects.toThrow(/compiled before/);
    await expect(warmup(plain, { batchSize: 0 })).rejects.toThrow(ValueError);
    await expect(warmup(plain, { batches: 3 } as never)).rejects.toThrow(/batches/);
    plain.compile({ loss: (a) => a });
    await expect(warmup(plain, { training: true })).rejects.toThrow(/specs of targets/);
    const x = input({ shape: [null, 3] });
    await expect(warmup(model({ inputs: x, outputs: x }))).rejects.toThrow(/null/);
  });
});
