/** @file Callbacks that watch a value: EarlyStopping, ReduceLROnPlateau; and those of the learning rate. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, memory, tensor, ValueError, variable } from '../../../src/index.ts';
import {
  earlyStopping,
  type EarlyStoppingOptions,
  learningRateScheduler,
  type Logs,
  reduceLROnPlateau,
  terminateOnNaN,
} from '../../../src/keras/callbacks/index.ts';
import { measured, runEpochs, series, StubModel } from './stub.ts';

beforeAll(async () => {
  await init();
});

describe('EarlyStopping', () => {
  const stopsAfter = async (options: EarlyStoppingOptions, values: number[], model = new StubModel()) =>
    (await runEpochs(earlyStopping(options), series(options.monitor ?? 'val_loss', ...values), { model }))
      .epochs;

  test('ends after the first epoch that is no better', async () => {
    expect(await stopsAfter({}, [3, 2, 2, 1])).toBe(3);
    expect(await stopsAfter({}, [3, 2, 1])).toBe(3);
  });

  test('the first epoch never ends it', async () => {
    expect(await stopsAfter({ baseline: 0 }, [5, 5, 5])).toBe(2);
  });

  test('patience counts epochs without improvement', async () => {
    expect(await stopsAfter({ patience: 2 }, [3, 3, 2, 2, 2, 1])).toBe(5);
    expect(await stopsAfter({ patience: 3 }, [1, 2, 2, 0.5, 2, 2, 2, 2])).toBe(7);
  });

  test('a change below minDelta does not count', async () => {
    expect(await stopsAfter({ minDelta: 0.5 }, [3, 2.6, 2.4, 2.3])).toBe(2);
    expect(await stopsAfter({ minDelta: 0.5 }, [3, 2.4, 2.1])).toBe(3);
    expect(await stopsAfter({ minDelta: -0.5 }, [3, 2.6, 2.4])).toBe(2);
    // A change of exactly minDelta isn't more than minDelta, also where it is rounded: Keras compares as float32.
    expect(await stopsAfter({ minDelta: 0.1 }, [5.1, 5, 4])).toBe(2);
    expect(await stopsAfter({ minDelta: 0.1, mode: 'max' }, [5.1, 5.2, 6])).toBe(2);
    expect(await stopsAfter({ minDelta: 0.1, mode: 'max' }, [Math.fround(0.7), Math.fround(0.8), 1])).toBe(2);
    expect(await stopsAfter({ minDelta: 0.5 }, [3, 2.5, 2])).toBe(2);
  });

  test('mode sets which direction is better; by default the metric does', async () => {
    expect(await stopsAfter({ mode: 'max' }, [1, 2, 3, 3])).toBe(4);
    expect(await stopsAfter({ mode: 'min' }, [1, 2, 3])).toBe(2);
    const model = new StubModel();
    model.metrics = measured({ accuracy: 'up', error: 'down', score: null });
    expect(await stopsAfter({ monitor: 'val_accuracy' }, [1, 2, 3, 3], model)).toBe(4);
    expect(await stopsAfter({ monitor: 'val_head_accuracy' }, [1, 2, 3, 3], model)).toBe(4);
    expect(await stopsAfter({ monitor: 'error' }, [1, 2], model)).toBe(2);
    expect(await stopsAfter({ monitor: 'head_loss' }, [2, 1, 1], model)).toBe(3);
    await expect(stopsAfter({ monitor: 'score' }, [1, 2], model)).rejects.toThrow(/mode: 'max'/);
  });

  test('the baseline has to be beaten within the patience', async () => {
    expect(await stopsAfter({ baseline: 1, patience: 2 }, [3, 2.9, 2.8, 2.7])).toBe(4);
    expect(await stopsAfter({ baseline: 1, patience: 2 }, [3, 2.9, 2.9])).toBe(3);
    expect(await stopsAfter({ baseline: 1, patience: 2 }, [3, 0.5, 0.6, 0.6])).toBe(4);
  });

  test('startFromEpoch skips epochs', async () => {
    expect(await stopsAfter({ startFromEpoch: 3 }, [1, 2, 3, 4, 5])).toBe(5);
  });

  test('NaN does not count as an improvement', async () => {
    expect(await stopsAfter({ patience: 1 }, [1, Number.NaN, 0])).toBe(2);
  });

  test('can be used again', async () => {
    const callback = earlyStopping();
    const first = await runEpochs(callback, series('val_loss', 1, 2));
    expect([first.epochs, callback.stoppedEpoch, callback.best]).toEqual([2, 1, 1]);
    const again = await runEpochs(callback, series('val_loss', 9, 8, 7));
    expect([again.epochs, callback.stoppedEpoch]).toEqual([3, null]);
  });

  test('restores the weights of the best epoch, and holds nothing afterwards', async () => {
    const model = new StubModel();
    const initial = tensor([0, 0]);
    const weight = variable(initial);
    initial.dispose();
    model.weights.push(weight);
    const before = memory();
    const said: string[] = [];
    const callback = earlyStopping({
      patience: 2,
      restoreBestWeights: true,
      verbose: 1,
      say: (text) => said.push(text),
    });
    await runEpochs(callback, series('val_loss', 3, 1, 2, 2), {
      model,
      train: (epoch) => {
        const next = tensor([epoch, -epoch]);
        weight.assign(next);
        next.dispose();
      },
    });
    expect(await weight.array()).toEqual([1, -1]);
    expect(callback.bestEpoch).toBe(1);
    expect(said).toEqual([
      'Epoch 4: early stopping',
      'Restoring model weights from the end of the best epoch: 2.',
    ]);
    expect(memory().tensors).toBe(before.tensors);
    expect(memory().bytes).toBe(before.bytes);
    weight.dispose();
  });

  test('releases the weights where training fails', async () => {
    const model = new StubModel();
    model.weights.push(variable(tensor([1, 2])));
    const before = memory().tensors;
    const failing = {
      onEpochEnd: (epoch: number) => {
        if (epoch === 1) throw new Error('stop');
      },
    };
    const callback = earlyStopping({ restoreBestWeights: true });
    await expect(runEpochs([callback, failing], series('val_loss', 3, 2, 1), { model })).rejects.toThrow(
      'stop',
    );
    expect(memory().tensors).toBe(before);
    model.weights[0]?.dispose();
  });

  test('the error for a missing name lists the available ones', async () => {
    await expect(
      runEpochs(earlyStopping({ monitor: 'valLoss' }), [{ loss: 1, val_loss: 1 }]),
    ).rejects.toThrow("did you mean 'val_loss'?");
    const logs = { acc: 1, loss: 1, val_acc: 1, val_loss: 1 };
    await expect(runEpochs(earlyStopping({ monitor: 'val_accuracy' }), [logs])).rejects.toThrow(
      "did you mean 'val_acc'?",
    );
    await expect(runEpochs(earlyStopping({ monitor: 'acc' }), [{ loss: 1, accuracy: 1 }])).rejects.toThrow(
      /monitor: 'acc', logs with 'loss', 'accuracy'/,
    );
    await expect(
      runEpochs(earlyStopping({ monitor: 'val_acc' }), [{ loss: 1, val_accuracy: 1 }]),
    ).rejects.toThrow(ValueError);
    await expect(
      runEpochs(earlyStopping(), [{ loss: 1 }], { params: { validation: false } }),
    ).rejects.toThrow(/validationData/);
  });

  test('epochs without validation are skipped', async () => {
    const logs: Logs[] = [{ loss: 1 }, { loss: 1, val_loss: 2 }, { loss: 1 }, { loss: 1, val_loss: 3 }];
    const { epochs } = await runEpochs(earlyStopping(), logs, { params: { validation: true } });
    expect(epochs).toBe(4);
  });
});

describe('ReduceLROnPlateau', () => {
  /** Returns the rates at the ends of epochs. */
  async function ratesOf(options: object, values: number[], model = new StubModel()): Promise<number[]> {
    const rates: number[] = [];
    const spy = { onEpochEnd: () => void rates.push(model.optimizer?.learningRate as number) };
    await runEpochs(
      [reduceLROnPlateau({ patience: 1, factor: 0.5, ...options }), spy],
      series('val_loss', ...values),
      {
        model,
      },
    );
    return rates;
  }

  test('lowers the rate after epochs without improvement', async () => {
    expect(await ratesOf({}, [3, 2, 2, 2, 1])).toEqual([1, 1, 0.5, 0.25, 0.25]);
    expect(await ratesOf({ patience: 2 }, [3, 3, 3, 3, 3])).toEqual([1, 1, 0.5, 0.5, 0.25]);
  });

  test('does not count epochs of the cooldown', async () => {
    expect(await ratesOf({ cooldown: 2 }, [1, 1, 1, 1, 1, 1])).toEqual([1, 0.5, 0.5, 0.25, 0.25, 0.125]);
    expect(await ratesOf({ cooldown: 3 }, [1, 1, 1, 1, 1, 1])).toEqual([1, 0.5, 0.5, 0.5, 0.25, 0.25]);
  });

  test('does not fall below minLr', async () => {
    expect(await ratesOf({ minLr: 0.3 }, [1, 1, 1, 1])).toEqual([1, 0.5, 0.3, 0.3]);
  });

  test('minDelta is 1e-4 by default', async () => {
    expect(await ratesOf({}, [1, 0.99995, 0.9])).toEqual([1, 0.5, 0.5]);
    expect(await ratesOf({ minDelta: 0 }, [1, 0.99995, 0.9])).toEqual([1, 1, 1]);
    expect(await ratesOf({ mode: 'max' }, [1, 2, 3])).toEqual([1, 1, 1]);
  });

  test('adds the rate of the epoch to the logs', async () => {
    const { logs, list } = await runEpochs(reduceLROnPlateau({ patience: 1 }), series('val_loss', 1, 1, 1));
    expect(logs.map(({ learning_rate }) => learning_rate)).toEqual([1, 1, 0.1]);
    expect(list.history?.history.learning_rate).toEqual([1, 1, 0.1]);
  });

  test('prints what it does', async () => {
    const said: string[] = [];
    await ratesOf({ verbose: 1, say: (text: string) => said.push(text) }, [1, 1]);
    expect(said).toEqual(['Epoch 2: ReduceLROnPlateau reducing learning rate to 0.5.']);
  });
});

describe('LearningRateScheduler', () => {
  test('sets the rate of each epoch, from the one before', async () => {
    const seen: number[][] = [];
    const { logs, model } = await runEpochs(
      learningRateScheduler((epoch, rate) => {
        seen.push([epoch, rate]);
        return rate / 2;
      }),
      series('loss', 1, 1, 1),
    );
    expect(seen).toEqual([
      [0, 1],
      [1, 0.5],
      [2, 0.25],
    ]);
    expect(logs.map(({ learning_rate }) => learning_rate)).toEqual([0.5, 0.25, 0.125]);
    expect(model.optimizer?.learningRate).toBe(0.125);
  });

  test.each([
    ['a text', '0.1'],
    ['NaN', Number.NaN],
    ['a negative rate', -1],
    ['nothing', undefined],
  ])('rejects %s', async (_, rate) => {
    await expect(
      runEpochs(learningRateScheduler({ schedule: () => rate as never }), series('loss', 1)),
    ).rejects.toThrow(ValueError);
  });
});

test('a rate that cannot be set is an error at the beginning', async () => {
  for (const callback of [reduceLROnPlateau(), learningRateScheduler(() => 1)]) {
    const model = new StubModel();
    model.optimizer = { name: 'sgd', learningRate: 1, schedule: {} };
    await expect(runEpochs(callback, series('val_loss', 1), { model })).rejects.toThrow(/schedule/);
    model.optimizer = null;
    await expect(runEpochs(callback, series('val_loss', 1), { model })).rejects.toThrow(/compile/);
  }
});

describe('TerminateOnNaN', () => {
  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('ends at %s', async (loss) => {
    const said: string[] = [];
    const { epochs } = await runEpochs(
      terminateOnNaN({ say: (text) => said.push(text) }),
      series('loss', 1, loss, 1),
    );
    expect(epochs).toBe(2);
    expect(said).toEqual(['Epoch 2: Invalid loss, terminating training']);
  });

  test('at a batch', () => {
    const callback = terminateOnNaN({ verbose: 0 });
    const model = new StubModel();
    callback.setModel(model);
    callback.onTrainBatchEnd(3, { loss: 1 });
    callback.onTrainBatchEnd(4, {});
    expect(model.stopTraining).toBe(false);
    callback.onTrainBatchEnd(5, { loss: Number.NaN });
    expect(model.stopTraining).toBe(true);
    expect([callback.readsBatchLogs, terminateOnNaN({ everyBatch: true }).readsBatchLogs]).toEqual([
      'latest',
      true,
    ]);
  });

  test('or rejects', async () => {
    await expect(runEpochs(terminateOnNaN({ raiseError: true }), series('loss', Number.NaN))).rejects.toThrow(
      /loss: NaN. Epoch 1/,
    );
  });
});

test.each<[string, () => unknown]>([
  ['an unknown option', () => earlyStopping({ patiance: 3 } as never)],
  ['an empty name', () => earlyStopping({ monitor: '' })],
  ['a name that is none', () => reduceLROnPlateau({ monitor: 3 as never })],
  ['an unknown mode', () => earlyStopping({ mode: 'up' as never })],
  ['a negative patience', () => earlyStopping({ patience: -1 })],
  ['a fractional patience', () => reduceLROnPlateau({ patience: 1.5 })],
  ['a minDelta that is no number', () => earlyStopping({ minDelta: '0.1' as never })],
  ['a baseline that is no number', () => earlyStopping({ baseline: Number.NaN })],
  ['restoreBestWeights that is no boolean', () => earlyStopping({ restoreBestWeights: 1 as never })],
  ['a negative start', () => earlyStopping({ startFromEpoch: -1 })],
  ['verbose of 2', () => earlyStopping({ verbose: 2 as never })],
  ['say that is no function', () => earlyStopping({ say: 'loud' as never })],
  ['a factor of 1', () => reduceLROnPlateau({ factor: 1 })],
  ['a factor of 0', () => reduceLROnPlateau({ factor: 0 })],
  ['a negative cooldown', () => reduceLROnPlateau({ cooldown: -1 })],
  ['a negative minLr', () => reduceLROnPlateau({ minLr: -1 })],
  ['a schedule that is no function', () => learningRateScheduler({ schedule: 3 as never })],
  ['no schedule', () => learningRateScheduler({} as never)],
  ['raiseError that is no boolean', () => terminateOnNaN({ raiseError: 'yes' as never })],
  ['everyBatch that is no boolean', () => terminateOnNaN({ everyBatch: 1 as never })],
])('%s is rejected', (_, make) => {
  expect(make).toThrow(ValueError);
});
