import { beforeAll, describe, expect, test } from 'vitest';
import {
  GradientTape,
  init,
  mean,
  memory,
  squaredDifference,
  type Tensor,
  tensor,
} from '../../../src/index.ts';
import { input, layers, model, optimizers } from '../../../src/keras/index.ts';
import type { FitOptions } from '../../../src/keras/training/index.ts';
import { ownDevice } from '../../support/ownDevice.ts';
import { data, regressor, weightsOf } from './support.ts';

beforeAll(async () => {
  await init();
});

describe('fit', () => {
  test('takes the same steps as a manual loop', async () => {
    const [x, y] = data(6);
    const byHand = regressor();
    const optimizer = optimizers.sgd({ learningRate: 0.1, momentum: 0.9 });
    const losses: number[] = [];
    for (let step = 0; step < 6; step++) {
      const part = (t: Tensor) => t.array() as Promise<number[][]>;
      const rows = (await part(x)).slice((step % 3) * 2, (step % 3) * 2 + 2);
      const targets = (await part(y)).slice((step % 3) * 2, (step % 3) * 2 + 2);
      const tape = new GradientTape();
      const loss = mean(squaredDifference(byHand.apply(tensor(rows)), tensor(targets)));
      optimizer.apply(tape.gradient(loss, byHand.trainableWeights), byHand.trainableWeights);
      losses.push(await loss.item());
    }
    const net = regressor();
    net.compile({ optimizer: optimizers.sgd({ learningRate: 0.1, momentum: 0.9 }), loss: 'mse' });
    const { history, epoch } = await net.fit(x, y, { epochs: 2, batchSize: 2, shuffle: false });
    expect(epoch).toEqual([0, 1]);
    const means = [0, 3].map((first) => losses.slice(first, first + 3).reduce((a, b) => a + b) / 3);
    means.forEach((expected, i) => {
      expect(history.loss?.[i]).toBeCloseTo(expected, 5);
    });
    const expected = (await weightsOf(byHand)).flat();
    for (const [i, value] of (await weightsOf(net)).flat().entries()) {
      expect(value).toBeCloseTo(expected[i] as number, 5);
    }
  });

  test('gives the same bits captured and eagerly', async () => {
    const [x, y] = data(7);
    const runs = [false, true].map(async (runEagerly) => {
      const net = regressor();
      net.compile({ optimizer: 'adam', loss: 'mse', metrics: ['mae'], runEagerly });
      const { history } = await net.fit(x, y, { epochs: 4, batchSize: 2, seed: 3, validationSplit: 0.3 });
      return { history, weights: await weightsOf(net) };
    });
    const [captured, plain] = await Promise.all(runs);
    expect(captured).toEqual(plain);
    expect(Object.keys(captured?.history ?? {}).sort()).toEqual(['loss', 'mae', 'val_loss', 'val_mae']);
  });

  test('weights the loss of batches by their sizes', async () => {
    const net = regressor();
    net.compile({ optimizer: optimizers.sgd({ learningRate: 0 }), loss: 'mse' });
    const [x, y] = data(5);
    const { history } = await net.fit(x, y, { batchSize: 2 });
    const whole = await mean(squaredDifference(net.apply(x), y)).item();
    expect(history.loss?.[0]).toBeCloseTo(whole, 6);
    expect((await net.evaluate(x, y, { batchSize: 3 })).loss).toBeCloseTo(whole, 6);
  });

  test('shuffles by a seed, and continues from a checkpoint on the same curve to the bit', async () => {
    const [x, y] = data(10);
    const options = { batchSize: 3, seed: 42 } as const;
    const compile = (net: ReturnType<typeof regressor>) =>
      net.compile({ optimizer: optimizers.adam({ learningRate: 0.02 }), loss: 'mse' });
    const whole = regressor();
    compile(whole);
    const { history } = await whole.fit(x, y, { ...options, epochs: 5 });

    const first = regressor();
    compile(first);
    await first.fit(x, y, { ...options, epochs: 2 });
    const saved = { weights: await weightsOf(first), state: await first.optimizer?.getWeights() };

    const second = regressor();
    compile(second);
    second.setWeights(
      saved.weights.map((values, i) => tensor(values, { shape: second.weights[i]?.shape ?? [] })),
    );
    second.optimizer?.build(second.trainableWeights);
    second.optimizer?.setWeights(saved.state as never);
    const rest = await second.fit(x, y, { ...options, epochs: 5, initialEpoch: 2 });
    expect(rest.epoch).toEqual([2, 3, 4]);
    expect(rest.history.loss).toEqual(history.loss?.slice(2));
    expect(await weightsOf(second)).toEqual(await weightsOf(whole));

    const other = regressor();
    compile(other);
    const { history: shuffled } = await other.fit(x, y, { ...options, seed: 43, epochs: 5 });
    expect(shuffled.loss).not.toEqual(history.loss);
  });

  test('leaves memory flat, and a step is one submission', async () => {
    // On the shared device, garbage of other tests may be collected at any time.
    await using own = await ownDevice();
    const { device } = own;
    // An idle device gets what was appended at once, so that the number of submissions would differ with its speed.
    device.stream.watcher = { isolates: null, next: () => undefined };
    const net = regressor();
    net.compile({ optimizer: 'adam', loss: 'mse', metrics: ['mae'] });
    const [x, y] = data(40);
    const seen: { bytes: number; allocations: number }[] = [];
    const submits: number[] = [];
    await net.fit(x, y, {
      epochs: 6,
      batchSize: 2,
      validationData: [x, y],
      callbacks: {
        onEpochBegin: () => {
          const { bytes, allocations } = memory();
          seen.push({ bytes, allocations });
          submits.push(device.stream.statistics.submits);
        },
      },
    });
    expect(seen[4]).toEqual(seen[3]);
    expect(seen[5]).toEqual(seen[3]);
    // 20 steps, 20 of validation, and the readback of all metrics.
    expect((submits[5] as number) - (submits[4] as number)).toBe(20 + 20 + 1);
    const again = async () => {
      await net.fit(x, y, { epochs: 2 });
      await net.evaluate(x, y);
      (await net.predict(x)).dispose();
    };
    await again();
    const before = memory();
    await again();
    expect(memory().bytes).toBe(before.bytes);
  });

  test('adds the penalties of weights to the loss', async () => {
    const features = input({ shape: [2] });
    const top = layers.dense({
      units: 1,
      useBias: false,
      kernelRegularizer: { className: 'L2', config: { l2: 0.5 } },
    });
    const net = model({ inputs: features, outputs: top.apply(features) });
    net.setWeights([tensor([[3], [4]])]);
    net.compile({ optimizer: optimizers.sgd({ learningRate: 0 }), loss: 'mse' });
    const x = tensor([[0, 0]]);
    const { history } = await net.fit(x, tensor([[2]]), { epochs: 3 });
    for (const loss of history.loss ?? []) expect(loss).toBeCloseTo(4 + 0.5 * 25, 4);
  });

  test('rejects a model that is not compiled', async () => {
    await expect(regressor().fit(...data(2))).rejects.toThrow(/compile/);
    await expect(regressor().evaluate(...data(2))).rejects.toThrow(/compile/);
  });

  test.each<[string, FitOptions, RegExp]>([
    ['batchSize 0', { batchSize: 0 }, /`batchSize` is an integer of at least 1/],
    ['batchSize NaN', { batchSize: Number.NaN }, /batchSize: NaN/],
    ['epochs of a fraction', { epochs: 1.5 }, /`epochs`/],
    ['negative initialEpoch', { initialEpoch: -1 }, /`initialEpoch`/],
    ['stepsPerEpoch 0', { stepsPerEpoch: 0 }, /`stepsPerEpoch`/],
    ['validationSteps 0', { validationSteps: 0 }, /`validationSteps`/],
    ['validationSplit 1', { validationSplit: 1 }, /`validationSplit` is a number of at least 0 and below 1/],
    ['validationSplit NaN', { validationSplit: Number.NaN }, /`validationSplit`/],
    ['a split that leaves nothing', { validationSplit: 0.9 }, /leaves at least one sample/],
    ['validationFreq 0', { validationFreq: 0 }, /`validationFreq`/],
    ['shuffle by a name', { shuffle: 'rows' as never }, /`shuffle` is one of/],
    ['verbose 3', { verbose: 3 as never }, /`verbose`/],
    ['seed -1', { seed: -1 }, /`seed`/],
    ['an unknown option', { batch_size: 2 } as never, /batch_size/],
    ['no callback', { callbacks: 'early' as never }, /a callback is/],
    ['validation data of four', { validationData: [1, 2, 3, 4] as never }, /`validationData` is/],
    [
      'class weights and sample weights',
      { classWeight: { 0: 1 }, sampleWeight: [1, 1, 1, 1] },
      /classWeight/,
    ],
    ['sample weights of another length', { sampleWeight: [1] }, /sampleWeight: 1/],
  ])('rejects %s', async (_, options, message) => {
    const net = regressor();
    net.compile({ loss: 'mse' });
    const before = memory().tensors;
    const [x, y] = data(4);
    await expect(net.fit(x, y, options)).rejects.toThrow(message);
    expect(memory().tensors).toBe(before + 2);
    // The model is usable again.
    await net.fit(x, y);
  });
});

describe('validation', () => {
  test('takes the last samples before any shuffle', async () => {
    const [x, y] = data(10);
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const { history } = await net.fit(x, y, { validationSplit: 0.3, seed: 1 });
    const last = (t: Tensor) => t.array().then((rows) => tensor((rows as number[][]).slice(7)));
    const { loss } = await net.evaluate(await last(x), await last(y));
    expect(history.val_loss).toEqual([loss]);
  });

  test.each<[string, (x: Tensor, y: Tensor) => FitOptions]>([
    ['a pair', (x, y) => ({ validationData: [x, y] })],
    ['with weights', (x, y) => ({ validationData: [x, y, [1, 1, 1, 1]] })],
    ['a record', (x, y) => ({ validationData: { xs: x, ys: y } })],
    [
      'batches',
      () => ({
        validationData: function* () {
          yield data(4);
        },
      }),
    ],
  ])('by %s', async (_, options) => {
    const [x, y] = data(4);
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const { history } = await net.fit(x, y, { epochs: 2, ...options(x, y) });
    const { loss } = await net.evaluate(x, y);
    expect(history.val_loss).toHaveLength(2);
    expect(history.val_loss?.[1]).toBeCloseTo(loss as number, 6);
  });

  test('runs as often as validationFreq specifies', async () => {
    const [x, y] = data(4);
    const net = regressor();
    net.compile({ loss: 'mse' });
    const run = async (validationFreq: number | number[]) => {
      const { history } = await net.fit(x, y, { epochs: 5, validationData: [x, y], validationFreq });
      return history.val_loss?.length;
    };
    expect(await run(2)).toBe(2);
    expect(await run([1, 4, 5])).toBe(3);
  });

  test('takes as many batches as stepsPerEpoch says', async () => {
    const [x, y] = data(4);
    const net = regressor();
    net.compile({ loss: 'mse' });
    let batches = 0;
    const count = { onTestBatchBegin: () => void batches++ };
    await net.fit(x, y, {
      validationData: [x, y],
      validationBatchSize: 1,
      validationSteps: 3,
      callbacks: count,
    });
    expect(batches).toBe(3);
  });
});
