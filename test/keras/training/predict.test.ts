import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDevice } from '../../../src/webgpu/adapter.ts';
import { Device } from '../../../src/webgpu/device.ts';
import { DeviceLostError, init, memory, mul, setDevice, type Tensor, tensor } from '../../../src/index.ts';
import { input, layers, model, Model, sequential } from '../../../src/keras/index.ts';
import { regressor, wave, weightsOf } from './support.ts';

let shared: Device;
beforeAll(async () => {
  shared = await init();
});
afterAll(() => setDevice(shared));

describe('predict', () => {
  test('gives the same as the model, batch by batch', async () => {
    const net = regressor();
    const x = wave([7, 2]);
    const expected = await net.apply(x).data();
    const before = memory().tensors;
    for (const batchSize of [3, 7, 32]) {
      using found = await net.predict(x, { batchSize });
      expect(found.shape).toEqual([7, 1]);
      expect(await found.data()).toEqual(expected);
    }
    using part = await net.predict(x, { batchSize: 2, steps: 2 });
    expect(await part.data()).toEqual(expected.slice(0, 4));
    expect(memory().tensors).toBe(before + 1);
    expect(await net.predictOnBatch(x).data()).toEqual(expected);
    expect(await net.predictOnBatch([[0.7, 0.2]]).array()).toHaveLength(1);
    expect(x.disposed).toBe(false);
  });

  test('captures nothing for a single batch, which would not be replayed', async () => {
    const net = regressor();
    const x = wave([4, 2]);
    (await net.predict(x)).dispose();
    expect(net.explainStep('predict')).toMatchObject({
      captured: false,
      reason: expect.stringMatching(/one batch/),
    });
    (await net.predict(x, { batchSize: 2 })).dispose();
    expect(net.explainStep('predict')).toMatchObject({ captured: true });
    net.dispose();
  });

  test('of many batches', async () => {
    const net = regressor();
    const x = wave([150, 2]);
    using found = await net.predict(x, { batchSize: 1 });
    expect(await found.data()).toEqual(await net.apply(x).data());
  });

  test('keeps the nest of the outputs', async () => {
    const features = input({ shape: [2] });
    const net = model({ inputs: features, outputs: { same: features, twice: mul(features, 2) } });
    const { same, twice } = await net.predict(
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      { batchSize: 2 },
    );
    expect(await same.array()).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(await twice.array()).toEqual([
      [2, 4],
      [6, 8],
      [10, 12],
    ]);
  });

  test('of batches that are created during the run', async () => {
    const net = regressor();
    async function* batches() {
      for (let i = 0; i < 3; i++) yield [wave([2, 2], i + 0.4)];
    }
    using found = await net.predict(batches);
    expect(found.shape).toEqual([6, 1]);
    using single = await net.predict(function* () {
      yield wave([2, 2]);
    });
    expect(single.shape).toEqual([2, 1]);
  });

  test('runs during training, and is ended by a signal', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const run = net.fit(wave([8, 2]), wave([8, 1]), { epochs: 5 });
    (await net.predict(wave([3, 2]))).dispose();
    await run;
    const signal = AbortSignal.abort();
    await expect(net.predict(wave([3, 2]), { signal })).rejects.toMatchObject({ name: 'AbortError' });
    await expect(net.evaluate(wave([3, 2]), wave([3, 1]), { signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  test('rejects unknown arguments', async () => {
    const net = regressor();
    await expect(net.predict(wave([3, 2]), { batch: 3 } as never)).rejects.toThrow(/its options are/);
    await expect(net.predict(wave([3, 2]), { batchSize: 0 })).rejects.toThrow(/batchSize/);
    await expect(net.predict(wave([3, 2]), { verbose: true as never })).rejects.toThrow(/verbose/);
    await expect(net.predict('rows' as never)).rejects.toThrow(/`x` is a tensor/);
  });
});

describe('steps on single batches', () => {
  test('are those of fit, with the metrics of the batch alone', async () => {
    const [x, y] = [wave([4, 2]), wave([4, 1], 1.3)];
    const [fitted, byHand] = [regressor(), regressor()];
    for (const net of [fitted, byHand]) net.compile({ optimizer: 'adam', loss: 'mse', metrics: ['mae'] });
    const { history } = await fitted.fit(x, y, { epochs: 3, shuffle: false });
    for (let step = 0; step < 3; step++) {
      const logs = await byHand.trainOnBatch(x, y);
      expect(logs).toEqual({ loss: history.loss?.[step], mae: history.mae?.[step] });
    }
    expect(await weightsOf(byHand)).toEqual(await weightsOf(fitted));
    const tested = await byHand.testOnBatch(x, y);
    expect(tested).toEqual(await byHand.evaluate(x, y));
    expect(x.disposed || y.disposed).toBe(false);
  });

  test('have metrics that no earlier batch is part of', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse', metrics: ['mae'] });
    const [far, near] = [wave([4, 1], 50), wave([4, 1])];
    const x = wave([4, 2]);
    const alone = async (y: Tensor) => net.evaluate(x, y);
    await net.trainOnBatch(x, far);
    const expected = await alone(near);
    await net.testOnBatch(x, far);
    expect(await net.testOnBatch(x, near)).toEqual(expected);
    await net.trainOnBatch(x, far);
    const before = await alone(near);
    await net.testOnBatch(x, far);
    expect(await net.trainOnBatch(x, near)).toEqual(before);
  });

  test('take host values, and weights', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await net.trainOnBatch([[1, 2]], [3], { sampleWeight: [1] });
    const before = memory().tensors;
    await net.trainOnBatch([[1, 2]], [3], { sampleWeight: [1] });
    await net.trainOnBatch([[1, 2]], [1], { classWeight: { 1: 2 } });
    expect(memory().tensors).toBe(before);
    await expect(net.trainOnBatch([[1, 2]], [3, 4])).rejects.toThrow(/x: 1, y: 2/);
    await expect(net.trainOnBatch([[1, 2]], [3], { weights: 1 } as never)).rejects.toThrow(/its options/);
    await net.trainOnBatch([[1, 2]], [3]);
  });

  test('that fail leave the tensors of the caller, and free what they uploaded', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const [x, y] = [wave([4, 2]), wave([3, 1])];
    const host = [[1, 2]];
    const failing = [
      () => net.trainOnBatch(x, y),
      () => net.testOnBatch(x, y),
      () => net.trainOnBatch(x, [1, 2]),
      () => net.trainOnBatch(host, y),
      () => net.trainOnBatch(host, [[1], [2, 3]]),
      () => net.trainOnBatch(host, 'targets' as never),
      () => net.trainOnBatch(host, [1], { sampleWeight: [1, 2] }),
      async () => net.predictOnBatch([host, 'rows'] as never),
    ];
    for (const step of failing) await expect(step()).rejects.toThrow();
    const before = memory().tensors;
    for (const step of failing) await expect(step()).rejects.toThrow();
    expect(memory().tensors).toBe(before);
    expect(x.disposed || y.disposed).toBe(false);
  });

  test('follow changes of trainable', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const [x, y] = [wave([4, 2]), wave([4, 1])];
    for (let step = 0; step < 3; step++) await net.trainOnBatch(x, y);
    net.getLayer('hidden').trainable = false;
    const before = await weightsOf(net);
    for (let step = 0; step < 3; step++) await net.trainOnBatch(x, y);
    const after = await weightsOf(net);
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[2]).not.toEqual(before[2]);
  });
});

describe('models that are built when they run', () => {
  test('a sequential without an input', async () => {
    const net = sequential({
      layers: [
        layers.dense({ units: 3, activation: 'relu' }),
        layers.dense({ units: 2, activation: 'softmax' }),
      ],
    });
    net.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy', metrics: ['accuracy'] });
    const { history } = await net.fit(
      wave([10, 4]),
      new Int32Array(10).map((_, i) => i % 2),
      { epochs: 3, batchSize: 4 },
    );
    expect(Object.keys(history)).toEqual(['accuracy', 'loss']);
  });

  test('a subclass with two outputs', async () => {
    class TwoHeads extends Model<Tensor, Tensor[]> {
      readonly a = layers.dense({ units: 1 });
      readonly b = layers.dense({ units: 1 });
      override call(x: Tensor): Tensor[] {
        return [this.a.apply(x), this.b.apply(x)];
      }
    }
    const net = new TwoHeads();
    net.compile({ optimizer: 'sgd', loss: 'mse', metrics: [['mae'], null] });
    const logs = await net.evaluate(wave([4, 2]), [wave([4, 1]), wave([4, 1])]);
    expect(Object.keys(logs).sort()).toEqual(['loss', 'output_1_loss', 'output_1_mae', 'output_2_loss']);
    const [first] = await net.predict(wave([4, 2]), { batchSize: 3 });
    expect(first?.shape).toEqual([4, 1]);
  });
});

describe('masks', () => {
  test('of outputs leave steps out of the loss', async () => {
    const tokens = input({ shape: [4], dtype: 'int32' });
    const table = layers.embedding({ inputDim: 5, outputDim: 1, maskZero: true });
    const net = model({ inputs: tokens, outputs: table.apply(tokens) });
    net.setWeights([tensor([[9], [1], [2], [3], [4]])]);
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const { loss } = await net.evaluate([[1, 2, 0, 0]], tensor([[[0], [0], [0], [0]]]));
    expect(loss).toBeCloseTo((1 + 4) / 2, 5);
  });
});

describe('a device that is lost', () => {
  test('ends the run with its error, and the model knows that nothing runs', async () => {
    const own = new Device(await openDevice(undefined, {}), true, 2 ** 26);
    setDevice(own);
    try {
      const net = regressor();
      net.compile({ optimizer: 'sgd', loss: 'mse' });
      const [x, y] = [wave([8, 2]), wave([8, 1])];
      const run = net.fit(x, y, { epochs: 1e6, callbacks: { onEpochEnd: () => own.gpu.destroy() } });
      await expect(run).rejects.toThrow(DeviceLostError);
      await expect(net.fit(x, y)).rejects.toThrow(DeviceLostError);
    } finally {
      setDevice(shared);
    }
  });
});

describe('a page that trains', () => {
  test('has its turns', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const began = performance.now();
    await net.fit(wave([400, 2]), wave([400, 1]), { epochs: 4, batchSize: 2 });
    clearInterval(timer);
    // Half of the turns at one every 20 ms, because other processes share the machine.
    expect(turns).toBeGreaterThan((performance.now() - began) / 40);
  });
});
