import { beforeAll, describe, expect, test, vi } from 'vitest';
import { IndexOutOfRangeError, init, memory, type Tensor } from '../../../src/index.ts';
import { callbacks, input, layers, model } from '../../../src/keras/index.ts';
import { data, regressor, weightsOf } from './support.ts';

beforeAll(async () => {
  await init();
});

describe('callbacks', () => {
  test('end the training, and see the logs of batches', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const [x, y] = data(6);
    const seen: string[] = [];
    const losses: number[] = [];
    class Stop extends callbacks.Callback {
      override readonly readsBatchLogs = true;
      override onTrainBatchEnd(batch: number, logs: Record<string, number>) {
        seen.push(`batch ${batch}`);
        losses.push(logs.loss as number);
      }
      override onEpochEnd(epoch: number, logs: Record<string, number>) {
        seen.push(`epoch ${epoch}`);
        losses.push(logs.loss as number);
        if (epoch === 1) this.model.stopTraining = true;
      }
    }
    const { epoch } = await net.fit(x, y, { epochs: 9, batchSize: 3, callbacks: [new Stop()] });
    expect(epoch).toEqual([0, 1]);
    expect(seen).toEqual(['batch 0', 'batch 1', 'epoch 0', 'batch 0', 'batch 1', 'epoch 1']);
    // The loss of an epoch is the one after its last batch.
    expect(losses[1]).toBe(losses[2]);
  });

  test('may freeze layers between epochs', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const [x, y] = data(6);
    const seen: number[][][] = [];
    await net.fit(x, y, {
      epochs: 4,
      batchSize: 2,
      callbacks: {
        onEpochEnd: async (epoch) => {
          seen.push(await weightsOf(net));
          if (epoch === 1) net.getLayer('hidden').trainable = false;
        },
      },
    });
    expect(seen[1]?.[0]).not.toEqual(seen[0]?.[0]);
    expect(seen[3]?.[0]).toEqual(seen[1]?.[0]);
    expect(seen[3]?.[2]).not.toEqual(seen[1]?.[2]);
  });

  test('may evaluate and predict between epochs', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const [x, y] = data(6);
    const seen: number[] = [];
    const { history } = await net.fit(x, y, {
      epochs: 3,
      validationData: [x, y],
      callbacks: {
        onEpochEnd: async () => {
          seen.push((await net.evaluate(x, y)).loss as number);
          (await net.predict(x)).dispose();
        },
      },
    });
    expect(seen).toEqual(history.val_loss);
  });
});

describe('a run that ends early', () => {
  test('by its signal rejects with the reason; finished work is kept', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const [x, y] = data(6);
    const controller = new AbortController();
    const released = vi.fn();
    class Watch extends callbacks.Callback {
      override onEpochEnd(epoch: number) {
        if (epoch === 2) controller.abort();
      }
      override release() {
        released();
      }
    }
    const before = memory().tensors;
    const run = net.fit(x, y, { epochs: 1000, callbacks: new Watch(), signal: controller.signal });
    await expect(run).rejects.toMatchObject({ name: 'AbortError' });
    expect(net.history?.epoch).toEqual([0, 1, 2]);
    expect(released).toHaveBeenCalledOnce();
    expect(memory().tensors).toBe(before);
    await net.fit(x, y, { epochs: 1 });
    await expect(net.fit(x, y, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('is ended between steps', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const [x, y] = data(6);
    const controller = new AbortController();
    const reason = new Error('enough');
    const soon = { onEpochEnd: () => void setTimeout(() => controller.abort(reason)) };
    await expect(net.fit(x, y, { epochs: 1e6, callbacks: soon, signal: controller.signal })).rejects.toBe(
      reason,
    );
    expect(net.history?.epoch.length).toBeGreaterThan(0);
  });

  test('is ended while it waits for a batch', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const controller = new AbortController();
    let send: (batch: (typeof late)[]) => void = () => {};
    const [late] = data(2);
    async function* never() {
      yield [...data(2)];
      yield await new Promise<Tensor[]>((resolve) => {
        send = resolve;
        setTimeout(() => controller.abort());
      });
    }
    await expect(net.fit(never, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    // Batches that arrive afterwards are freed.
    send([late, ...data(2).slice(1)]);
    await new Promise((resolve) => setTimeout(resolve));
    expect(late.disposed).toBe(true);
  });

  test('by a callback that throws leaves the model free', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const [x, y] = data(6);
    const fails = () => {
      throw new Error('from a callback');
    };
    await expect(net.fit(x, y, { callbacks: { onTrainBatchBegin: fails } })).rejects.toThrow(
      'from a callback',
    );
    await net.fit(x, y);
  });
});

describe('one thing at a time', () => {
  test('a second fit is rejected, and the first goes on', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const [x, y] = data(6);
    const first = net.fit(x, y, { epochs: 3 });
    await expect(net.fit(x, y)).rejects.toThrow(/does one thing at a time/);
    await expect(net.evaluate(x, y)).rejects.toThrow(/while fit runs/);
    await expect(net.trainOnBatch(x, y)).rejects.toThrow(/while fit runs/);
    expect(() => net.compile({ loss: 'mse' })).toThrow(/while fit runs/);
    expect((await first).epoch).toHaveLength(3);
  });
});

describe('faults', () => {
  test('report epoch and batch, and leave the model usable', async () => {
    const tokens = input({ shape: [3], dtype: 'int32' });
    const table = layers.embedding({ inputDim: 5, outputDim: 2, name: 'table' });
    const top = layers.dense({ units: 1 });
    const net = model({ inputs: tokens, outputs: top.apply(layers.flatten().apply(table.apply(tokens))) });
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const good = [
      [0, 1, 2],
      [3, 4, 0],
      [1, 1, 1],
      [2, 2, 2],
    ];
    const bad = [...good.slice(0, 3), [0, 9, 0]];
    const y = [1, 2, 3, 4];
    const run = net.fit(bad, y, { batchSize: 2, epochs: 2, shuffle: false });
    await expect(run).rejects.toThrow(IndexOutOfRangeError);
    await expect(net.fit(bad, y, { batchSize: 2, shuffle: false })).rejects.toThrow(
      /during: epoch 1 of 1, batch/,
    );
    expect((await net.fit(good, y, { batchSize: 2 })).epoch).toEqual([0]);
  });
});
