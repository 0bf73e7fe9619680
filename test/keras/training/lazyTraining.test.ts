/** @file Training that isn't loaded yet, as in an app whose bundler split it off. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { init, ones, ValueError, warmup } from '../../../src/index.ts';
import { loadCheckpoint, saveCheckpoint } from '../../../src/io/index.ts';
import { layers, sequential } from '../../../src/keras/index.ts';
import * as training from '../../../src/keras/training/index.ts';
import { provideTraining } from '../../../src/keras/training/lazyTraining.ts';

beforeAll(() => init());
beforeEach(() => provideTraining(null));
afterEach(() => provideTraining(training));

const regressor = () =>
  sequential({ layers: [layers.inputLayer({ shape: [2] }), layers.dense({ units: 1 })] });
const x = () => ones([4, 2]);
const y = () => ones([4, 1]);
const named = { optimizer: 'sgd', loss: 'mse', metrics: ['mae'] } as const;

describe('training is loaded', () => {
  test('by compile, whose promise resolves when it is loaded', async () => {
    const net = regressor();
    const compiled = net.compile(named);
    expect(net.summary({ print: () => {} })).toContain('Total params: 3');
    expect(() => net.optimizer).toThrow(ValueError);
    expect(() => net.metricsNames).toThrow(/loadTraining/);
    net.resetMetrics();
    await compiled;
    expect(net.optimizer?.name).toMatch(/^sgd/);
    expect(net.metricsNames).toEqual(['loss']);
  });

  test('by fit and evaluate, which wait for it', async () => {
    const net = regressor();
    net.compile(named);
    const { history } = await net.fit(x(), y(), { epochs: 2, verbose: 0 });
    expect(Object.keys(history)).toEqual(['loss', 'mae']);
    provideTraining(null);
    expect(Object.keys(await net.evaluate(x(), y(), { verbose: 0 }))).toEqual(['loss', 'mae']);
  });

  test('by predict, of a model that isn’t compiled', async () => {
    const net = regressor();
    expect(net.optimizer).toBeNull();
    expect(() => net.predictOnBatch(x())).toThrow(ValueError);
    expect((await net.predict(x())).shape).toEqual([4, 1]);
    expect(net.predictOnBatch(x()).shape).toEqual([4, 1]);
  });

  test('by checkpoints, which don’t wait', async () => {
    const net = regressor();
    net.compile(named);
    const file = await saveCheckpoint(net, { epoch: 3 });
    provideTraining(null);
    const again = regressor();
    again.compile(named);
    expect(loadCheckpoint(again, file).training.epoch).toBe(3);
    expect(again.optimizer).not.toBeNull();
  });

  test('by warmup', async () => {
    const net = regressor();
    net.compile(named);
    await warmup(net, { batchSize: 4, training: true });
    expect(net.optimizer).not.toBeNull();
  });
});

describe('options out of range', () => {
  test('are reported by compile and by all later calls', async () => {
    const net = regressor();
    await expect(net.compile({ optimizer: 'sgdd' as never })).rejects.toThrow(ValueError);
    await expect(net.fit(x(), y())).rejects.toThrow(/sgdd/);
    expect(() => net.optimizer).toThrow(/sgdd/);
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await net.fit(x(), y(), { verbose: 0 });
  });

  test('are thrown at once if training is loaded', async () => {
    const net = regressor();
    await net.compile(named);
    expect(() => net.compile({ optimizer: 'sgdd' as never })).toThrow(ValueError);
    expect(net.optimizer?.name).toMatch(/^sgd/);
  });
});
