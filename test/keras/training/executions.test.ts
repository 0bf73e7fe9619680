/** @file stepsPerExecution: callbacks are called once for several batches; the results stay the same. */
import { beforeAll, expect, test } from 'vitest';
import { init, ValueError } from '../../../src/index.ts';
import {
  callbacks as all,
  layers,
  modelFromJSON,
  modelToJSON,
  sequential,
} from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const x = Array.from({ length: 14 }, (_, i) => [i / 14]);
const y = x.map(([value]) => [3 * (value as number)]);

function compiled(stepsPerExecution?: number) {
  const net = sequential([
    layers.inputLayer({ shape: [1] }),
    layers.dense({ units: 1, kernelInitializer: 'ones' }),
  ]);
  net.compile({
    optimizer: 'sgd',
    loss: 'mse',
    jitCompile: false,
    ...(stepsPerExecution === undefined ? {} : { stepsPerExecution }),
  });
  return net;
}

function listener() {
  const heard: string[] = [];
  const note = (what: string) => (batch: number) => void heard.push(`${what}${batch}`);
  const callbacks = {
    onTrainBatchBegin: note('+'),
    onTrainBatchEnd: note('-'),
    onTestBatchEnd: note('t'),
    onPredictBatchEnd: note('p'),
  };
  return { heard, callbacks };
}

// The calls of Keras 3.15 for 7 batches.
test('hooks of batches are called once per execution', async () => {
  const { heard, callbacks } = listener();
  const net = compiled(3);
  const options = { batchSize: 2, callbacks, verbose: 0 } as const;
  const { history } = await net.fit(x, y, { ...options, shuffle: false });
  await net.evaluate(x, y, options);
  (await net.predict(x, options)).dispose();
  expect(heard.join(' ')).toBe('+0 -2 +3 -5 +6 -6 t2 t5 t6 p2 p5 p6');
  const plain = await compiled().fit(x, y, { batchSize: 2, shuffle: false, verbose: 0 });
  expect(history).toEqual(plain.history);
});

// 7 batches an epoch in executions of 3, 3 and 1: 10 have ended with the first execution of the second epoch.
test('checkpoints count batches, not executions', async () => {
  const sink = all.sinks.memoryFiles();
  const save = all.modelCheckpoint({ filepath: '{epoch}-{batch}.weights.h5', saveFreq: 10, sink });
  await compiled(3).fit(x, y, { batchSize: 2, epochs: 2, callbacks: save, verbose: 0 });
  expect([...sink.files.keys()]).toEqual(['2-3.weights.h5']);
});

test('data of unknown length end with an execution', async () => {
  const { heard, callbacks } = listener();
  const batches = function* () {
    for (let i = 0; i < 4; i++) yield [[x[i]], [y[i]]] as never;
  };
  await compiled(3).fit(batches, { callbacks, verbose: 0 });
  expect(heard.join(' ')).toBe('+0 -2 +3 -5');
});

test('training stops at the end of an execution', async () => {
  let steps = 0;
  const net = compiled(4);
  const stop = {
    onTrainBatchBegin: () => {
      net.stopTraining = true;
    },
    onTrainBatchEnd: (batch: number) => {
      steps = batch;
    },
  };
  await net.fit(x, y, { batchSize: 2, callbacks: stop, verbose: 0 });
  expect(steps).toBe(3);
});

test('it is kept in files, and checked', () => {
  const text = modelToJSON(compiled(5));
  expect(JSON.parse(text).compile_config.steps_per_execution).toBe(5);
  expect(modelFromJSON(text).name).toBeTruthy();
  for (const bad of [0, 1.5, 'auto']) expect(() => compiled(bad as number)).toThrow(ValueError);
});
