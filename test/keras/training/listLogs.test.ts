/** @file Metrics of several values: one name in logs, with a list, as in Keras. */
import { beforeAll, expect, test } from 'vitest';
import { init } from '../../../src/index.ts';
import { callbacks, History, layers, metrics, optimizers, sequential } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

// The network returns its input, so that recalls are known: of 0.2, 0.5 and 0.9, two exceed 0.3, and one exceeds 0.6.
const x = [[0.2], [0.5], [0.9], [0.4]];
const y = [[1], [1], [1], [0]];
const recalls = [Math.fround(2 / 3), Math.fround(1 / 3)];

function network() {
  const net = sequential([
    layers.inputLayer({ shape: [1] }),
    layers.dense({ units: 1, useBias: false, kernelInitializer: 'ones' }),
  ]);
  const metric = metrics.recall({ thresholds: [0.3, 0.6], name: 'recall' });
  const optimizer = optimizers.sgd({ learningRate: 0 });
  net.compile({ optimizer, loss: 'mse', metrics: [metric, 'mae'] });
  return net;
}

test('logs, history and files have a list', async () => {
  const net = network();
  const sink = callbacks.sinks.memoryFiles();
  const seen: unknown[] = [];
  const history = await net.fit(x, y, {
    epochs: 2,
    validationData: [x, y],
    callbacks: [
      { onEpochEnd: (_, logs) => void seen.push(logs.recall) },
      callbacks.csvLogger({ filename: 'log.csv', sink }),
      callbacks.tensorBoard({ sink }),
    ],
  });
  expect(seen).toEqual([recalls, recalls]);
  expect(Object.keys(history.history).sort()).toEqual([
    'loss',
    'mae',
    'recall',
    'val_loss',
    'val_mae',
    'val_recall',
  ]);
  expect(history.history.val_recall).toEqual([recalls, recalls]);
  expect(History.fromJSON(JSON.stringify(history)).history).toEqual(history.history);
  const [, row] = new TextDecoder().decode(sink.files.get('log.csv')).split('\n');
  expect(row).toContain(`"[${recalls.join(', ')}]"`);
  const events = [...sink.files].find(([name]) => name.includes('train'))?.[1];
  expect(new TextDecoder('latin1').decode(events)).toMatch(/epoch_recall_0.*epoch_recall_1/s);

  const evaluated = await net.evaluate(x, y);
  expect(evaluated.recall).toEqual(recalls);
  const [, first] = evaluated;
  expect(first).toEqual(recalls);
  expect((await net.testOnBatch(x, y)).recall).toEqual(recalls);
  net.dispose();
});

test('a callback that needs one number refuses a list', async () => {
  const net = network();
  const stop = callbacks.earlyStopping({ monitor: 'recall', mode: 'max' });
  await expect(net.fit(x, y, { callbacks: stop })).rejects.toThrow(/one value.*a list of 2 values/s);
  const sink = callbacks.sinks.memoryFiles();
  const save = callbacks.modelCheckpoint({ filepath: 'm-{recall:.2f}.keras', sink });
  await expect(net.fit(x, y, { callbacks: save })).rejects.toThrow(/only names of available values/);
  net.dispose();
});

test('progress shows lists in brackets', async () => {
  const net = network();
  const lines: string[] = [];
  const bar = callbacks.progressBar({ write: (text) => void lines.push(text), dynamic: false });
  await net.fit(x, y, { callbacks: bar, verbose: 2 });
  expect(lines.join('')).toContain('recall: [0.6667, 0.3333]');
  net.dispose();
});
