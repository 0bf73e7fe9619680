/** @file Training runs against those of real Keras: the histories of the fixtures, epoch by epoch. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { add, concat, init, type Tensor } from '../../../src/index.ts';
import { loadTensors, loadWeights } from '../../../src/io/index.ts';
import { input, layers, model, optimizers, sequential } from '../../../src/keras/index.ts';
import type { CompileOptions, Logs } from '../../../src/keras/training/index.ts';

beforeAll(async () => {
  await init();
});

interface Run {
  history: Record<string, number[]>;
  evaluate: Logs;
  tolerance: { rtol: number; atol: number; weightsAtol: number };
}

function fixture(name: string) {
  const read = (file: string) =>
    readFileSync(new URL(`../../fixtures/models/${name}/${file}`, import.meta.url));
  const io = loadTensors(read('io.safetensors'));
  return {
    run: JSON.parse(read('train.json').toString()) as Run,
    weights: read('weights.safetensors'),
    final: loadTensors(read('final.safetensors')),
    array: (key: string) => io.get(key) as Tensor,
  };
}

function expectClose(
  found: Record<string, readonly number[]>,
  expected: Record<string, readonly number[]>,
  { rtol, atol }: Run['tolerance'],
) {
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, values] of Object.entries(expected)) {
    expect(found[name]).toHaveLength(values.length);
    for (const [epoch, value] of values.entries()) {
      const difference = Math.abs((found[name]?.[epoch] as number) - value);
      expect(difference, `${name} of epoch ${epoch}`).toBeLessThanOrEqual(atol + rtol * Math.abs(value));
    }
  }
}

const asEpochs = (logs: Logs) =>
  Object.fromEntries(Object.entries(logs).map(([name, value]) => [name, [value]]));

function sharedModel() {
  const [left, right] = [input({ shape: [5], name: 'left' }), input({ shape: [5], name: 'right' })];
  const shared = layers.dense({ units: 6, activation: 'tanh', name: 'shared' });
  const [l, r] = [shared.apply(left), shared.apply(right)];
  const score = layers.dense({ units: 1, activation: 'sigmoid', name: 'score' });
  const value = layers.dense({ units: 3, name: 'value' });
  return model({
    inputs: [left, right],
    outputs: [score.apply(concat([l, r, left], { axis: -1 })), value.apply(add(l, r))],
  });
}

const classifier = () =>
  sequential({
    name: 'mlp_classifier',
    layers: [
      input({ shape: [12], name: 'features' }),
      layers.dense({ units: 64, activation: 'relu', name: 'hidden' }),
      layers.dense({ units: 10, activation: 'softmax', name: 'probabilities' }),
    ] as never,
  });

describe.each([
  ['captured', false],
  ['as written', true],
])('steps %s', (_, runEagerly) => {
  test('functional_shared: several inputs, losses and their weights', async () => {
    const { run, weights, final, array } = fixture('functional_shared');
    const net = sharedModel();
    loadWeights(net, weights);
    const optimizer = optimizers.adam({ learningRate: 0.01 });
    net.compile({ optimizer, loss: ['binary_crossentropy', 'mse'], lossWeights: [1, 0.5], runEagerly });
    const [x, y] = [
      [array('x0'), array('x1')],
      [array('y0'), array('y1')],
    ];
    const { history } = await net.fit(x, y, { epochs: 3, batchSize: 8, shuffle: false });
    expectClose(history, run.history, run.tolerance);
    expectClose(asEpochs(await net.evaluate(x, y, { batchSize: 8 })), asEpochs(run.evaluate), run.tolerance);
    for (const weight of net.weights) {
      const expected = await final.get(weight.path)?.data();
      const found = await weight.data();
      expected?.forEach((value, i) => {
        expect(Math.abs((found[i] as number) - value)).toBeLessThanOrEqual(run.tolerance.weightsAtol);
      });
    }
  });

  test('mlp_classifier: accuracy, and a validation split', async () => {
    const { run, weights, array } = fixture('mlp_classifier');
    const net = classifier();
    loadWeights(net, weights);
    const options: CompileOptions = {
      optimizer: optimizers.sgd({ learningRate: 0.05, momentum: 0.9 }),
      loss: 'categorical_crossentropy',
      metrics: ['accuracy'],
      runEagerly,
    };
    net.compile(options);
    const [x, y] = [array('x0'), array('y0')];
    const fit = { epochs: 4, batchSize: 8, shuffle: false, validationSplit: 0.25 };
    const { history } = await net.fit(x, y, fit);
    expectClose(history, run.history, run.tolerance);
    expectClose(asEpochs(await net.evaluate(x, y, { batchSize: 8 })), asEpochs(run.evaluate), run.tolerance);
  });
});
