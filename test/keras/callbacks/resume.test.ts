/** @file Checkpoints in real training: saved, inspected, and resumed on the same curve. */
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError, init, memory, type Tensor, tensor, ValueError } from '../../../src/index.ts';
import {
  loadCheckpoint,
  loadModel,
  loadWeights,
  readCheckpoint,
  readSafetensors,
  saveCheckpoint,
} from '../../../src/io/index.ts';
import { callbacks, initializers, layers, optimizers, sequential } from '../../../src/keras/index.ts';
import { clearSession } from '../../../src/keras/names.ts';

beforeAll(async () => {
  await init();
});

const { sinks } = callbacks;
const rows = Array.from({ length: 24 }, (_, i) => [Math.sin(i), Math.cos(2 * i), (i % 5) / 5]);
const x = rows;
const y = rows.map(([a = 0, b = 0]) => [a * b]);

type Rule = 'adam' | 'rmsprop' | 'sgd';
const rules = {
  adam: () => optimizers.adam({ learningRate: 0.03 }),
  rmsprop: () => optimizers.rmsprop({ learningRate: 0.01, momentum: 0.5 }),
  sgd: () =>
    optimizers.sgd({
      learningRate: optimizers.schedules.exponentialDecay({
        initialLearningRate: 0.1,
        decaySteps: 4,
        decayRate: 0.5,
      }),
      momentum: 0.9,
    }),
};

/** Returns the same model each time, with seeded dropout and moving averages. */
function network(rule: Rule = 'adam') {
  clearSession();
  const kernelInitializer = () => initializers.glorotUniform({ seed: 3 });
  const net = sequential([
    layers.input({ shape: [3] }),
    layers.dense({ units: 8, activation: 'tanh', kernelInitializer: kernelInitializer(), name: 'hidden' }),
    layers.batchNormalization({ name: 'norm' }),
    layers.dropout({ rate: 0.25, seed: 11, name: 'drop' }),
    layers.dense({ units: 1, kernelInitializer: kernelInitializer(), name: 'top' }),
  ]);
  net.compile({ optimizer: rules[rule](), loss: 'mse', metrics: ['mae'] });
  return net;
}

/** Returns the values of the first weight. */
const kernelOf = async (net: { weights: readonly Tensor[] }) => [
  ...(await (net.weights[0] as Tensor).data()),
];

/** Overrides the loss of each epoch. */
const forced = (name: string, ...values: number[]) => ({
  onEpochEnd: (epoch: number, logs: callbacks.Logs) => {
    logs[name] = values[epoch] as number;
  },
});

const settings = { batchSize: 6, seed: 5, validationSplit: 0.25, verbose: 0 } as const;

describe.each(Object.keys(rules) as Rule[])('%s', (rule) => {
  test('a run that is resumed from a checkpoint has the same curve, to the last bit', async () => {
    const whole = await network(rule).fit(x, y, { ...settings, epochs: 6 });
    const sink = sinks.memoryFiles();
    const checkpoint = callbacks.modelCheckpoint({ filepath: 'run/{epoch:02d}.safetensors', sink });
    await network(rule).fit(x, y, { ...settings, epochs: 3, callbacks: [checkpoint] });
    expect([...sink.files.keys()]).toEqual([
      'run/01.safetensors',
      'run/02.safetensors',
      'run/03.safetensors',
    ]);
    expect(checkpoint.lastSaved).toBe('run/03.safetensors');

    const again = network(rule);
    const { training } = loadCheckpoint(again, sink.load('run/03.safetensors') as Uint8Array);
    expect(training).toMatchObject({ epoch: 3, batch: 0, seed: 5 });
    expect(training.logs.loss).toBe(whole.history.loss?.[2]);
    const rest = await again.fit(x, y, { ...settings, epochs: 6, initialEpoch: training.epoch });
    expect(rest.epoch).toEqual([3, 4, 5]);
    for (const [name, values] of Object.entries(whole.history)) {
      expect(rest.history[name], name).toEqual(values.slice(3));
    }
  });
});

test('an interrupted run continues where it was, and leaves no backup', async () => {
  const whole = await network().fit(x, y, { ...settings, epochs: 5 });
  const sink = sinks.memoryFiles();
  const backup = () => callbacks.backupAndRestore({ backupDir: 'backup', sink });
  const abort = new AbortController();
  const cut = {
    onEpochBegin: (epoch: number) => {
      if (epoch === 2) abort.abort(new Error('power cut'));
    },
  };
  const interrupted = network().fit(x, y, {
    ...settings,
    epochs: 5,
    signal: abort.signal,
    callbacks: [backup(), cut],
  });
  await expect(interrupted).rejects.toThrow('power cut');
  expect([...sink.files.keys()]).toEqual(['backup/latest.safetensors']);

  const second = backup();
  const rest = await network().fit(x, y, { ...settings, epochs: 5, callbacks: [second] });
  expect(second.restored).toMatchObject({ epoch: 2, seed: 5 });
  expect(rest.epoch).toEqual([2, 3, 4]);
  expect(rest.history.loss).toEqual(whole.history.loss?.slice(2));
  expect(sink.files.size).toBe(0);

  const third = backup();
  await network().fit(x, y, { ...settings, epochs: 1, callbacks: [third] });
  expect(third.restored).toBeNull();
});

test('only the best, by its weights alone', async () => {
  const net = network();
  const sink = sinks.memoryFiles();
  const said: string[] = [];
  const checkpoint = callbacks.modelCheckpoint({
    filepath: 'best.safetensors',
    monitor: 'loss',
    saveBestOnly: true,
    saveWeightsOnly: true,
    verbose: 1,
    say: (text) => said.push(text.trim()),
    sink,
  });
  const kept: number[][] = [];
  const keep = {
    onEpochEnd: async () => {
      kept.push(await kernelOf(net));
    },
  };
  await net.fit(x, y, { ...settings, epochs: 3, callbacks: [forced('loss', 3, 1, 2), checkpoint, keep] });
  expect(said).toEqual([
    'Epoch 1: loss improved from nothing to 3.00000, saving model to best.safetensors',
    'Epoch 2: loss improved from 3.00000 to 1.00000, saving model to best.safetensors',
    'Epoch 3: loss did not improve from 1.00000',
  ]);
  expect(checkpoint.best).toBe(1);
  const other = network();
  loadWeights(other, sink.load('best.safetensors') as Uint8Array);
  expect(await kernelOf(other)).toEqual(kept[1]);
});

describe('formats of Keras', () => {
  const saved = async (options: { filepath: string; saveWeightsOnly?: boolean }) => {
    const net = network();
    const sink = sinks.memoryFiles();
    const checkpoint = callbacks.modelCheckpoint({ ...options, sink });
    await net.fit(x, y, { ...settings, epochs: 2, callbacks: [checkpoint] });
    return { net, sink, last: sink.load(checkpoint.lastSaved as string) as Uint8Array<ArrayBuffer> };
  };

  test('models, which loadModel and loadWeights read', async () => {
    const { net, sink, last } = await saved({ filepath: '{epoch:02d}-{val_loss:.1e}-{mae:.0%}.keras' });
    expect([...sink.files.keys()]).toHaveLength(2);
    expect([...sink.files.keys()][1]).toMatch(/^02-\d\.\de-\d\d-\d+%\.keras$/);
    const again = await loadModel(last);
    expect(await kernelOf(again)).toEqual(await kernelOf(net));
    expect(again.optimizer?.iterations).toBe(net.optimizer?.iterations);
    const other = network();
    await other.loadWeights(last);
    expect(await kernelOf(other)).toEqual(await kernelOf(net));
  });

  test('weights', async () => {
    const { net, last } = await saved({ filepath: 'net.weights.h5' });
    const other = network();
    await other.loadWeights(last);
    expect(await kernelOf(other)).toEqual(await kernelOf(net));
  });

  test('a checkpoint of this library is read by loadWeights and loadModel, too', async () => {
    const { net, last } = await saved({ filepath: 'net.safetensors' });
    const other = network();
    await other.loadWeights(last);
    expect(await kernelOf(other)).toEqual(await kernelOf(net));
    const third = network();
    loadWeights(third, last);
    expect(await kernelOf(third)).toEqual(await kernelOf(net));
    const again = await loadModel(last);
    const more = { ...settings, epochs: 1, initialEpoch: 0, shuffle: false };
    expect((await again.fit(x, y, more)).history).toEqual((await net.fit(x, y, more)).history);
  });

  test.each<[string, object]>([
    ['weights in a model', { filepath: 'a.keras', saveWeightsOnly: true }],
    ['a model in weights', { filepath: 'a.weights.h5', saveWeightsOnly: false }],
  ])('%s is an error', (_, options) => {
    expect(() => callbacks.modelCheckpoint(options as never)).toThrow(/holds a model/);
  });
});

test('after batches, with values of the batch in the name', async () => {
  const sink = sinks.memoryFiles();
  const net = network();
  await net.fit(x, y, {
    ...settings,
    epochs: 2,
    callbacks: [
      callbacks.modelCheckpoint({ filepath: '{epoch}-{batch}.safetensors', saveFreq: 2, sink }),
      callbacks.modelCheckpoint({
        filepath: 'loss{loss:.1f}.safetensors',
        saveFreq: 6,
        saveWeightsOnly: true,
        sink,
      }),
    ],
  });
  // 18 samples in batches of 6, three per epoch: saved after batches 2, 4 and 6 overall.
  const names = [...sink.files.keys()];
  expect(names.filter((name) => !name.startsWith('loss'))).toEqual([
    '1-2.safetensors',
    '2-1.safetensors',
    '2-3.safetensors',
  ]);
  expect(names.find((name) => name.startsWith('loss'))).toMatch(/^loss\d\.\d\.safetensors$/);
  expect(readCheckpoint(sink.load('2-1.safetensors') as Uint8Array).training).toMatchObject({
    epoch: 1,
    batch: 1,
  });
});

test('a name that is not in the logs is an error that lists the available ones', async () => {
  const checkpoint = callbacks.modelCheckpoint({ filepath: '{acc}.safetensors', sink: sinks.memoryFiles() });
  await expect(network().fit(x, y, { ...settings, callbacks: [checkpoint] })).rejects.toThrow(/mae/);
});

describe('a checkpoint', () => {
  test('holds weights by path, states and the description of the model', async () => {
    const net = network();
    await net.fit(x, y, { ...settings, epochs: 1 });
    const file = await saveCheckpoint(net, { epoch: 1, logs: { loss: Number.NaN } });
    const { tensors, metadata } = readSafetensors(file);
    expect([...tensors.keys()][0]).toMatch(/hidden\/kernel$/);
    expect([...tensors.keys()].filter((name) => name.startsWith('@optimizer/')).length).toBeGreaterThan(4);
    expect([...metadata.keys()]).toEqual(['format', 'training', 'model']);
    const { training, config } = readCheckpoint(file);
    expect(training).toEqual({ epoch: 1, batch: 0, seed: null, logs: { loss: Number.NaN } });
    expect(config).toMatchObject({ class_name: 'Sequential' });
  });

  test('is restored completely or not at all', async () => {
    const net = network();
    await net.fit(x, y, { ...settings, epochs: 1 });
    const file = await saveCheckpoint(net, { epoch: 1 });
    const other = network('sgd');
    const before = await kernelOf(other);
    expect(() => loadCheckpoint(other, file)).toThrow(ValueError);
    expect(() => loadCheckpoint(other, file)).toThrow(/SGD, for the state of Adam/);
    expect(await kernelOf(other)).toEqual(before);
    const wider = sequential([layers.input({ shape: [3] }), layers.dense({ units: 9 })]);
    wider.compile({ optimizer: 'adam', loss: 'mse' });
    expect(() => loadCheckpoint(wider, file)).toThrow(FormatError);
  });

  test('is not a file of weights only', async () => {
    const sink = sinks.memoryFiles();
    await network().fit(x, y, {
      ...settings,
      callbacks: [callbacks.modelCheckpoint({ filepath: 'w.safetensors', saveWeightsOnly: true, sink })],
    });
    const file = sink.load('w.safetensors') as Uint8Array;
    expect(() => readCheckpoint(file)).toThrow(FormatError);
    expect(() => readCheckpoint(file)).toThrow(/loadWeights/);
    expect(() => loadCheckpoint(network(), file)).toThrow(FormatError);
  });

  test('of a model that was not trained, and of one that was not compiled', async () => {
    const file = await saveCheckpoint(network(), { epoch: 0 });
    const net = network();
    expect(loadCheckpoint(net, file).training.epoch).toBe(0);
    const plain = sequential([layers.input({ shape: [2] }), layers.dense({ units: 1, name: 'only' })]);
    const other = await saveCheckpoint(plain, { epoch: 4 });
    expect(loadCheckpoint(plain, other).training.epoch).toBe(4);
  });
});

test('early stopping restores weights that a captured step overwrites', async () => {
  const net = network();
  const kept: number[][] = [];
  const keep = {
    onEpochEnd: async () => {
      kept.push(await kernelOf(net));
    },
  };
  const stopping = callbacks.earlyStopping({ patience: 2, restoreBestWeights: true });
  const history = await net.fit(x, y, {
    ...settings,
    epochs: 4,
    callbacks: [forced('val_loss', 1, 2, 3, 4), stopping, keep],
  });
  expect(history.epoch).toEqual([0, 1, 2]);
  expect(await kernelOf(net)).toEqual(kept[0]);
  expect(kept[0]).not.toEqual(kept[1]);
  // The model can be trained on from there.
  await net.fit(x, y, { ...settings, epochs: 1 });
  expect(await kernelOf(net)).not.toEqual(kept[0]);
});

test('TerminateOnNaN ends training when the loss is NaN', async () => {
  const net = network();
  const said: string[] = [];
  const history = await net.fit(
    x,
    y.map(([v], i) => [i === 3 ? Number.NaN : (v as number)]),
    {
      ...settings,
      epochs: 3,
      callbacks: callbacks.terminateOnNaN({ say: (text) => said.push(text) }),
    },
  );
  expect(history.epoch).toEqual([0]);
  expect(said.length).toBe(1);
});

test('ReduceLROnPlateau and LearningRateScheduler reach a captured step', async () => {
  const net = network();
  const rates = [0.5, 0, 0];
  const before: number[][] = [];
  const keep = {
    onEpochEnd: async () => {
      before.push(await kernelOf(net));
    },
  };
  const history = await net.fit(x, y, {
    ...settings,
    epochs: 3,
    callbacks: [callbacks.learningRateScheduler((epoch) => rates[epoch] as number), keep],
  });
  expect(history.history.learning_rate).toEqual(rates);
  expect(before[0]).not.toEqual([]);
  expect(before[1]).toEqual(before[0]); // A rate of 0 changes nothing.
  expect(before[2]).toEqual(before[0]);
});

test('callbacks leave nothing on the device', async () => {
  const [data, targets] = [tensor(x), tensor(y)];
  const net = network();
  const all = () => [
    callbacks.earlyStopping({ monitor: 'loss', restoreBestWeights: true }),
    callbacks.reduceLROnPlateau({ monitor: 'loss' }),
    callbacks.modelCheckpoint({ filepath: 'a.safetensors', sink: sinks.memoryFiles() }),
    callbacks.progressBar({ write: () => {}, dynamic: true, interval: 0 }),
  ];
  const options = { epochs: 3, batchSize: 6, verbose: 1, seed: 1 } as const;
  await net.fit(data, targets, { ...options, callbacks: all() });
  const before = memory();
  await net.fit(data, targets, { ...options, callbacks: all() });
  expect(memory()).toMatchObject({ tensors: before.tensors, bytes: before.bytes });
});
