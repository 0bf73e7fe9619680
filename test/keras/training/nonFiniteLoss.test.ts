/** @file A loss that becomes NaN or infinite is said once per run, with its batch, and its sample where the data hold it. */
import { afterEach, beforeAll, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { GradientTape, init, log, mean, mul, square, sub, type Tensor, tensor } from '../../../src/index.ts';
import {
  type Batch,
  callbacks,
  input,
  layers,
  Model,
  model,
  optimizers,
  sequential,
} from '../../../src/keras/index.ts';
import { wave } from './support.ts';

let warned: MockInstance;

beforeAll(async () => {
  await init();
});

beforeEach(() => {
  warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
});

afterEach(() => {
  warned.mockRestore();
});

const rows = 40;
const quiet = { verbose: 0, batchSize: 4 } as const;

function network(settings: object = {}): Model {
  const net = sequential([layers.input({ shape: [2] }), layers.dense({ units: 1 })] as never);
  net.compile({ optimizer: 'sgd', loss: 'mse', ...settings } as never);
  return net as never;
}

/** 40 samples of two features, the second of sample `at` being `value`. */
function spoiled(value: number, at = 33): Tensor {
  const values = Float32Array.from({ length: rows * 2 }, (_, i) => Math.sin(i));
  values[at * 2 + 1] = value;
  return tensor(values, { shape: [rows, 2] });
}

const targets = () => wave([rows, 1]);
const messages = (): string[] => warned.mock.calls.map(([text]) => String(text));

/** The only warning. */
function message(): string {
  expect(messages()).toHaveLength(1);
  return messages()[0] as string;
}

describe('fit names the epoch, the batch and the sample', () => {
  test.each([
    ['in order', { shuffle: false }, /batch 9\b/],
    ['shuffled', { seed: 1 }, /batch \d+\b/],
    ['with shuffled batches', { shuffle: 'batch', seed: 2 }, /batch \d+\b/],
    ['over several epochs', { shuffle: false, epochs: 3 }, /epoch 1 of 3, batch 9\b/],
    [
      'in the epochs of a run that goes on',
      { shuffle: false, epochs: 5, initialEpoch: 3 },
      /epoch 4 of 5, batch 9\b/,
    ],
    [
      'in epochs of a set number of steps',
      { shuffle: false, epochs: 4, stepsPerEpoch: 4 },
      /epoch 3 of 4, batch 1\b/,
    ],
    ['with validation', { shuffle: false, validationData: [[[1, 2]], [3]] }, /epoch 1 of 1, batch 9\b/],
    [
      'with a validation split of the others',
      { shuffle: false, validationSplit: 0.1 },
      /epoch 1 of 1, batch 9\b/,
    ],
    [
      'with a progress bar',
      { shuffle: false, callbacks: { onTrainBatchEnd: () => {}, readsBatchLogs: true } },
      /batch 9\b/,
    ],
    ['with sample weights', { shuffle: false, sampleWeight: new Float32Array(rows).fill(0.5) }, /batch 9\b/],
  ])('%s', async (_how, options, place) => {
    await network().fit(spoiled(Number.NaN), targets(), { ...quiet, ...options } as never);
    expect(message()).toMatch(/^retrograd: /);
    expect(message()).toMatch(place);
    expect(message()).toContain('sample 33 of `x` holds NaN at position [1]');
    expect(message()).toContain('checkNumerics');
  });

  test.each([
    ['eagerly', { runEagerly: true }],
    ['with several steps per execution', { stepsPerExecution: 4 }],
    ['with a loss scale', { optimizer: optimizers.lossScaleOptimizer({ innerOptimizer: optimizers.sgd() }) }],
  ])('%s', async (_how, settings) => {
    await network(settings).fit(spoiled(Number.NaN), targets(), { ...quiet, shuffle: false });
    expect(message()).toMatch(/epoch 1 of 1, batch 9\b.*sample 33 of `x`/);
  });

  test('infinity, targets and weights', async () => {
    await network().fit(spoiled(Number.NEGATIVE_INFINITY), targets(), { ...quiet, shuffle: false });
    expect(message()).toContain('sample 33 of `x` holds -Infinity');
    warned.mockClear();
    const y = Float32Array.from({ length: rows }, (_, i) => (i === 6 ? Number.NaN : 0));
    await network().fit(spoiled(0), y, { ...quiet, shuffle: false });
    expect(message()).toMatch(/batch 2\b.*sample 6 of `y` holds NaN/);
    warned.mockClear();
    const sampleWeight = new Float32Array(rows).fill(1);
    sampleWeight[0] = Number.POSITIVE_INFINITY;
    await network().fit(spoiled(0), targets(), { ...quiet, shuffle: false, sampleWeight });
    expect(message()).toMatch(/batch 1\b.*sample 0 of `sampleWeight` holds Infinity/);
  });

  test('in a batch whose step is replayed, and in the last one', async () => {
    for (const [at, batch] of [
      [30, 8],
      [39, 10],
    ] as const) {
      warned.mockClear();
      await network().fit(spoiled(Number.NaN, at), targets(), { ...quiet, shuffle: false, epochs: 2 });
      expect(message()).toMatch(new RegExp(`epoch 1 of 2, batch ${batch}\\b.*sample ${at} of`));
    }
  });

  test('by the name of the input', async () => {
    const [a, b] = [input({ shape: [2], name: 'left' }), input({ shape: [2], name: 'right' })];
    const y = layers.dense({ units: 1 }).apply(layers.add().apply([a, b] as never) as never);
    const net = model({ inputs: [a, b], outputs: y as never });
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await net.fit([spoiled(0), spoiled(Number.NaN, 5)] as never, targets(), { ...quiet, shuffle: false });
    expect(message()).toMatch(/batch 2\b.*sample 5 of `x\[1\]`/);
  });

  test('in data that stay on the host', async () => {
    const values = Array.from({ length: rows }, (_, i) => [i === 12 ? Number.NaN : Math.sin(i), 1]);
    await network().fit(values, targets(), { ...quiet, shuffle: false });
    expect(message()).toMatch(/batch 4\b.*sample 12 of `x` holds NaN at position \[0\]/);
  });
});

describe('without a bad sample', () => {
  test('a learning rate that is too high is said with its batch', async () => {
    const net = network({ optimizer: optimizers.sgd({ learningRate: 1e30 }) });
    await net.fit(wave([rows, 2]), targets(), { ...quiet, epochs: 4 });
    expect(message()).toMatch(/became (NaN|Infinity) in epoch 1 of 4, batch [2-4]\b/);
    expect(message()).toMatch(/learning rate/);
    expect(message()).not.toMatch(/sample \d/);
  });

  test('batches of a generator', async () => {
    const batches = function* () {
      for (let i = 0; i < 5; i++) yield [spoiled(i === 3 ? Number.NaN : 0), targets()];
    };
    await network().fit(batches as never, { verbose: 0, epochs: 2 } as never);
    expect(message()).toMatch(/became NaN in epoch 1 of 2, batch 4\b/);
  });

  test('batches of different sizes', async () => {
    const batches = function* () {
      for (const size of [3, 8, 1, 5, 5]) {
        const x = new Float32Array(size * 2);
        if (size === 1) x[0] = Number.NaN;
        yield [tensor(x, { shape: [size, 2] }), wave([size, 1])];
      }
    };
    await network().fit(batches as never, { verbose: 0 } as never);
    expect(message()).toMatch(/batch 3\b/);
  });

  test('a loss of a layer, and one of several losses', async () => {
    const x = input({ shape: [2] });
    const a = layers.dense({ units: 1, name: 'a' }).apply(x);
    const b = layers.dense({ units: 1, name: 'b' }).apply(x);
    const net = model({ inputs: x, outputs: [a, b] as never });
    const bad = (_y: Tensor, p: Tensor) => mean(log(sub(mul(p, 0), 1)));
    net.compile({ optimizer: 'sgd', loss: ['mse', bad] as never });
    await net.fit(wave([8, 2]), [wave([8, 1]), wave([8, 1])] as never, { ...quiet, epochs: 3 });
    expect(message()).toMatch(/epoch 1 of 3, batch 1\b/);
  });

  test('finite losses say nothing', async () => {
    await network().fit(wave([rows, 2]), targets(), { ...quiet, epochs: 2, validationSplit: 0.2 });
    expect(messages()).toEqual([]);
  });
});

describe('validation and evaluate', () => {
  test('a bad sample of the validation data', async () => {
    const validationData = [spoiled(Number.NaN), targets()] as never;
    await network().fit(wave([rows, 2]), targets(), { ...quiet, epochs: 3, validationData });
    expect(message()).toMatch(/'val_loss' .*epoch 1 of 3, validation, batch 9\b.*sample 33 of `x`/);
  });

  test('a bad sample of the validation split', async () => {
    await network().fit(spoiled(Number.NaN, 38), targets(), { ...quiet, validationSplit: 0.25 });
    expect(message()).toMatch(/validation, batch 3\b.*sample 38 of `x`/);
  });

  test('evaluate says it once; trainOnBatch returns it', async () => {
    const net = network();
    await net.evaluate(spoiled(Number.NaN), targets(), quiet);
    expect(message()).toMatch(/in evaluate, batch 9\b.*sample 33 of `x`/);
    warned.mockClear();
    expect((await net.trainOnBatch(spoiled(Number.NaN), targets())).loss).toBeNaN();
    expect(messages()).toEqual([]);
  });
});

test('each fit says it, and weights that were NaN before are found in the first batch', async () => {
  const net = network();
  await net.fit(spoiled(Number.NaN), targets(), { ...quiet, shuffle: false });
  await net.fit(spoiled(0), targets(), { ...quiet, shuffle: false });
  expect(messages()).toHaveLength(2);
  expect(messages()[1]).toMatch(/epoch 1 of 1, batch 1\b/);
});

test('a training step of the app: the data are searched for the sample', async () => {
  class Own extends Model {
    readonly top = layers.dense({ units: 1 });
    override call(x: Tensor): Tensor {
      return this.top.apply(x);
    }
    override trainStep({ x, y }: Batch) {
      return GradientTape.run((tape) => {
        const loss = mean(square(sub(this.apply(x as Tensor), y as Tensor)));
        this.optimizer?.apply(tape.gradient(loss, this.trainableWeights), this.trainableWeights);
        return { loss };
      });
    }
  }
  const net = new Own();
  net.compile({ optimizer: 'sgd' });
  await net.fit(spoiled(Number.NaN, 14), targets(), { ...quiet, shuffle: false });
  expect(message()).toMatch(/epoch 1 of 1, batch 10 or before\b.*sample 14 of `x`/);
});

test('training that terminates on NaN says both', async () => {
  const say = vi.fn();
  const stop = callbacks.terminateOnNaN({ everyBatch: true, say } as never);
  await network().fit(spoiled(Number.NaN), targets(), { ...quiet, shuffle: false, callbacks: [stop] });
  expect(message()).toMatch(/batch 9\b.*sample 33/);
  expect(say).toHaveBeenCalledTimes(1);
});
