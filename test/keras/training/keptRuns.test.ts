/**
 * @file Runs of a model one after another: they replay what an earlier one recorded, and compute what eager steps do, whatever the
 * program changed in between.
 */
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { init, memory, mul, type Tensor, tidy } from '../../../src/index.ts';
import {
  constraints,
  initializers,
  input,
  Layer,
  layers,
  losses,
  model,
  optimizers,
  sequential,
} from '../../../src/keras/index.ts';
import { data, wave, weightsOf } from './support.ts';

beforeAll(async () => {
  await init();
});

afterEach(() => vi.restoreAllMocks());

type Activation = (x: Tensor) => Tensor;

const quiet = { verbose: 0, shuffle: false, batchSize: 4 } as const;

/** What a function of an app reads. */
let scale = 1;

/** A model whose steps depend on much that a program can change. */
function make(
  runEagerly: boolean,
  { activation = 'tanh' as 'tanh' | Activation, loss = losses.huber() } = {},
) {
  const seeded = (seed: number) => initializers.glorotUniform({ seed });
  const hidden = layers.dense({
    units: 3,
    activation,
    kernelInitializer: seeded(1),
    kernelRegularizer: 'l2',
    kernelConstraint: constraints.maxNorm({ maxValue: 3 }),
  });
  const normal = layers.batchNormalization();
  const dropped = layers.dropout({ rate: 0.25, seed: 3 });
  const top = layers.dense({ units: 1, kernelInitializer: seeded(2) });
  const net = sequential([layers.input({ shape: [2] }), hidden, normal, dropped, top]);
  const optimizer = optimizers.adam({ learningRate: 0.05 });
  const compile = () => net.compile({ optimizer, loss, metrics: ['mae'], runEagerly });
  compile();
  return { net, hidden, normal, dropped, top, optimizer, loss, compile };
}

type Made = ReturnType<typeof make>;

/** Trains, evaluates and predicts. Returns all that can be seen of it. */
async function run({ net }: Made): Promise<unknown> {
  const [x, y] = data(10);
  const { loss, mae } = await net.fit(x, y, { ...quiet, epochs: 2 }).then(({ history }) => history);
  const found = await net.evaluate(x, y, { verbose: 0, batchSize: 4 });
  const outputs: unknown[] = [];
  for (const rows of [10, 1, 1, 1]) {
    const [some] = data(rows);
    using output = (await net.predict(some, { verbose: 0, batchSize: 4 })) as Tensor;
    outputs.push(await output.array());
  }
  return [loss, mae, { ...found }, outputs, await weightsOf(net)];
}

const set = (target: object, values: object) => void Object.assign(target, values);

const changes: Readonly<Record<string, (made: Made) => unknown>> = {
  nothing: () => {},
  'the rate of a layer': ({ dropped }) => set(dropped, { rate: 0.5 }),
  'the momentum of a norm': ({ normal }) => set(normal, { momentum: 0.5 }),
  'an activation': ({ hidden }) =>
    set(hidden, { activation: layers.dense({ units: 1, activation: 'relu' }).activation }),
  'the learning rate': ({ optimizer }) => set(optimizer, { learningRate: 0.001 }),
  'a schedule of it': ({ optimizer }) =>
    set(optimizer, {
      learningRate: optimizers.schedules.exponentialDecay({
        initialLearningRate: 0.1,
        decaySteps: 2,
        decayRate: 0.5,
      }),
    }),
  'an option of the loss': ({ loss }) => set((loss as never as { options: object }).options, { delta: 0.1 }),
  'the regularizer of a weight': ({ hidden }) => set(hidden.kernel as object, { regularizer: null }),
  'the constraint of a weight': ({ hidden }) =>
    set(hidden.kernel as object, { constraint: constraints.maxNorm({ maxValue: 0.5 }) }),
  'a frozen layer': ({ hidden }) => set(hidden, { trainable: false }),
  'a frozen norm': ({ normal }) => set(normal, { trainable: false }),
  'values of weights': ({ net }) =>
    tidy(() => net.setWeights(net.getWeights().map((weight) => mul(weight, 0.5)))),
  'another layer': ({ net, compile }) => {
    net.add(layers.dropout({ rate: 0.5, seed: 1 }));
    compile();
  },
  'a layer less': ({ net, dropped, top, compile }) => {
    net.pop();
    net.pop();
    net.add(top);
    void dropped;
    compile();
  },
  'another compilation': ({ compile }) => compile(),
  'a method of a layer': ({ top }) => {
    const call = top.call.bind(top);
    set(top, { call: (x: Tensor) => mul(call(x), 2) });
  },
  'a method of the model': ({ net }) => {
    const step = net.predictStep.bind(net);
    set(net, { predictStep: (batch: never) => mul(step(batch) as Tensor, 3) });
  },
};

describe('a program that changes, between two runs,', () => {
  test.each(Object.entries(changes))('%s', async (_what, change) => {
    const [eager, captured] = [make(true), make(false)];
    for (const made of [eager, captured]) await run(made);
    for (const made of [eager, captured]) change(made);
    expect(await run(captured)).toEqual(await run(eager));
  });

  test('what its own functions read', async () => {
    const activation: Activation = (x) => mul(x, scale);
    const [eager, captured] = [make(true, { activation }), make(false, { activation })];
    for (scale of [1, 2, 3]) expect(await run(captured)).toEqual(await run(eager));
  });
});

/** Counts how often the JavaScript of `body` calls a dense layer. */
async function callsIn(body: () => Promise<unknown>): Promise<number> {
  const { Dense } = layers;
  const spy = vi.spyOn(Dense.prototype, 'call');
  await body();
  const { length } = spy.mock.calls;
  spy.mockRestore();
  return length;
}

describe('what was recorded', () => {
  let [x, y] = [] as unknown as ReturnType<typeof data>;

  beforeAll(() => {
    [x, y] = data(8);
  });

  test('is replayed by the next run', async () => {
    const { net } = make(false);
    const train = () => net.fit(x, y, quiet);
    const evaluate = () => net.evaluate(x, y, { verbose: 0, batchSize: 4 });
    const predict = async () => (await net.predict(x, { verbose: 0, batchSize: 4 })).dispose();
    await train();
    net.compile({ optimizer: 'adam', loss: 'mse' });
    for (const each of [train, evaluate, predict]) {
      expect(await callsIn(each)).toBe(2);
      expect(await callsIn(each)).toBe(0);
      expect(await callsIn(each)).toBe(0);
    }
    expect(net.explainStep()).toMatchObject({ captured: true });
    net.dispose();
  });

  test('is made of the second single batch of a shape, not of the first', async () => {
    const { net } = make(false);
    const predict = async (rows: number) => {
      const [some] = data(rows);
      (await net.predict(some, { verbose: 0 })).dispose();
    };
    const captured = () => net.explainStep('predict').captured;
    for (const [rows, calls, isCaptured] of [
      [1, 2, false],
      [2, 2, false],
      [1, 2, true],
      [1, 0, true],
      [3, 2, false],
      [1, 0, true],
    ] as const) {
      expect(await callsIn(() => predict(rows))).toBe(calls);
      expect(captured()).toBe(isCaptured);
    }
    net.dispose();
  });

  test('is compared with the model by trainOnBatch, too', async () => {
    const attention = layers.multiHeadAttention({ numHeads: 1, keyDim: 2 });
    const noise = layers.gaussianNoise({ stddev: 0, seed: 1 });
    const features = input({ shape: [2, 2] });
    const attended = noise.apply(attention.apply(features, { value: features }));
    const net = model({ inputs: features, outputs: layers.flatten().apply(attended) });
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const [some, targets] = [wave([2, 2, 2]), wave([2, 4])];
    const step = async () => (await net.trainOnBatch(some, targets)).loss as number;
    await step();
    const before = await step();
    Object.assign(noise, { stddev: 100 });
    expect(await step()).toBeGreaterThan(10 * before);
    net.dispose();
  });

  test('is compared a few times only with a layer of the app that counts its calls', async () => {
    class Counting extends Layer {
      calls = 0;
      override call(given: Tensor): Tensor {
        this.calls++;
        return mul(given, 1);
      }
    }
    const counting = new Counting();
    const net = sequential([layers.input({ shape: [2] }), counting, layers.dense({ units: 1 })]);
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    for (let step = 0; step < 12; step++) {
      await net.trainOnBatch(x, y);
      counting.calls++;
    }
    expect(counting.calls - 12).toBeLessThan(9);
    net.dispose();
  });

  test('is made again by code of the app', async () => {
    const { net } = make(false, { activation: (given: Tensor) => mul(given, scale) });
    const train = () => net.fit(x, y, quiet);
    await train();
    expect(await callsIn(train)).toBe(2);
    expect(await callsIn(train)).toBe(2);
    net.dispose();
  });

  test('is freed with the model, when it is compiled again, and after a run that failed', async () => {
    const { net, compile } = make(false);
    await net.fit(x, y, quiet);
    const before = memory().tensors;
    for (let time = 0; time < 3; time++) await net.fit(x, y, quiet);
    expect(memory().tensors).toBe(before);
    const controller = new AbortController();
    const abort = { onTrainBatchEnd: () => controller.abort(new Error('enough')) };
    await expect(net.fit(x, y, { ...quiet, signal: controller.signal, callbacks: [abort] })).rejects.toThrow(
      'enough',
    );
    expect(await callsIn(() => net.fit(x, y, quiet))).toBe(2);
    compile();
    expect(await callsIn(() => net.fit(x, y, quiet))).toBeGreaterThan(0);
    net.dispose();
  });

  test('is freed if it is large', async () => {
    const wide = layers.dense({ units: 2 ** 20, activation: 'tanh', useBias: false });
    const mean = layers.globalAveragePooling1d();
    const net = sequential([
      layers.input({ shape: [1] }),
      wide,
      layers.reshape({ targetShape: [2 ** 20, 1] }),
      mean,
    ]);
    const [, few] = data(10);
    const predict = async () => (await net.predict(few, { verbose: 0 })).dispose();
    for (const isCaptured of [false, true, false, false]) {
      expect(await callsIn(predict)).toBe(1);
      expect(net.explainStep('predict').captured).toBe(isCaptured);
    }
    net.dispose();
  });
});
