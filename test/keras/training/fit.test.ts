import { beforeAll, describe, expect, test, vi } from 'vitest';
import {
  getDevice,
  GradientTape,
  IndexOutOfRangeError,
  init,
  mean,
  memory,
  squaredDifference,
  sub,
  type Tensor,
  tensor,
  tidy,
  ValueError,
} from '../../../src/index.ts';
import { callbacks, input, layers, metrics, model, Model, optimizers } from '../../../src/keras/index.ts';
import type { Batch, FitOptions } from '../../../src/keras/training/index.ts';
import { regressor, wave, weightsOf } from './support.ts';

beforeAll(async () => {
  await init();
});

const data = (rows: number) => [wave([rows, 2], 0.37), wave([rows, 1], 1.3)] as const;

describe('fit', () => {
  test('takes the steps that a loop by hand takes', async () => {
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

  test('gives the same bits captured and as it is written', async () => {
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

  test('weighs the loss of batches by their sizes', async () => {
    const net = regressor();
    net.compile({ optimizer: optimizers.sgd({ learningRate: 0 }), loss: 'mse' });
    const [x, y] = data(5);
    const { history } = await net.fit(x, y, { batchSize: 2 });
    const whole = await mean(squaredDifference(net.apply(x), y)).item();
    expect(history.loss?.[0]).toBeCloseTo(whole, 6);
    expect((await net.evaluate(x, y, { batchSize: 3 })).loss).toBeCloseTo(whole, 6);
  });

  test('shuffles by a seed, and goes on from a checkpoint on the same curve to the bit', async () => {
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
    const net = regressor();
    net.compile({ optimizer: 'adam', loss: 'mse', metrics: ['mae'] });
    const [x, y] = data(40);
    const device = getDevice();
    const seen: { tensors: number; bytes: number; allocations: number }[] = [];
    const submits: number[] = [];
    await net.fit(x, y, {
      epochs: 6,
      batchSize: 2,
      validationData: [x, y],
      callbacks: {
        onEpochBegin: () => {
          const { tensors, bytes, allocations } = memory();
          seen.push({ tensors, bytes, allocations });
          submits.push(device.stream.statistics.submits);
        },
      },
    });
    expect(seen[4]).toEqual(seen[3]);
    expect(seen[5]).toEqual(seen[3]);
    // 20 steps, 20 of validation, and the readback of all metrics.
    expect((submits[5] as number) - (submits[4] as number)).toBeLessThanOrEqual(20 + 20 + 1);
    const again = async () => {
      await net.fit(x, y, { epochs: 2 });
      await net.evaluate(x, y);
      (await net.predict(x)).dispose();
    };
    await again();
    const before = memory();
    await again();
    expect(memory().tensors).toBe(before.tensors);
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

  test('refuses a model that is not compiled', async () => {
    await expect(regressor().fit(...data(2))).rejects.toThrow(/compile/);
    await expect(regressor().evaluate(...data(2))).rejects.toThrow(/compile/);
  });

  test.each<[string, FitOptions, RegExp]>([
    ['batchSize 0', { batchSize: 0 }, /`batchSize` is a whole number of at least 1/],
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
  ])('refuses %s', async (_, options, message) => {
    const net = regressor();
    net.compile({ loss: 'mse' });
    const before = memory().tensors;
    const [x, y] = data(4);
    await expect(net.fit(x, y, options)).rejects.toThrow(message);
    expect(memory().tensors).toBe(before + 2);
    // The model is free again.
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

  test('runs as often as it is told', async () => {
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

  test('takes as many batches as it is told', async () => {
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

describe('batches from iterables', () => {
  function* batches(count: number) {
    for (let i = 0; i < count; i++) yield [wave([2, 2], i + 0.37), wave([2, 1], i + 1.3)];
  }

  test('train, their tensors freed', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await net.fit(() => batches(1));
    const before = memory();
    const { history, params } = await net.fit(() => batches(3), { epochs: 2 });
    expect(history.loss).toHaveLength(2);
    expect(params.steps).toBe(3);
    expect(memory().tensors).toBe(before.tensors);
  });

  test('come late, as TF.js spells them, with weights', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    async function* late() {
      for (const [xs, ys] of batches(3)) {
        await new Promise((resolve) => setTimeout(resolve, 2));
        yield { xs: xs as Tensor, ys: ys as Tensor, sampleWeight: [1, 0] };
      }
    }
    const { history } = await net.fit(late, null, { epochs: 2 });
    expect(history.loss?.every(Number.isFinite)).toBe(true);
  });

  test('without end, with steps', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const { epoch } = await net.fit(batches(1e6), { epochs: 3, stepsPerEpoch: 2 });
    expect(epoch).toEqual([0, 1, 2]);
  });

  test('that run out say where', async () => {
    const net = regressor();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    await expect(net.fit(batches(5), { epochs: 3, stepsPerEpoch: 2 })).rejects.toThrow(
      /1 batches in epoch 3 of 3, which has 2 steps/,
    );
    await expect(net.fit(batches(2), { epochs: 2 })).rejects.toThrow(/gives its batches once/);
    await expect(net.fit(() => batches(0))).rejects.toThrow(/at least one batch/);
  });

  test('have their sizes and weights of their own', async () => {
    const net = regressor();
    net.compile({ loss: 'mse' });
    const [x, y] = data(2);
    await expect(net.fit((() => batches(1)) as never, y, {})).rejects.toThrow(/come as they are/);
    await expect(net.fit(() => batches(1), { batchSize: 2 })).rejects.toThrow(/batchSize/);
    await expect(net.fit(() => batches(1), { validationSplit: 0.5 })).rejects.toThrow(/validationSplit/);
    await expect(net.evaluate(() => batches(1), { sampleWeight: [1] })).rejects.toThrow(/sampleWeight/);
    void x;
  });
});

describe('weights of samples', () => {
  test('weigh the loss, and the metrics that say so', async () => {
    const [x, y] = [
      tensor([
        [0, 0],
        [0, 0],
      ]),
      tensor([[1], [3]]),
    ];
    const features = input({ shape: [2] });
    const top = layers.dense({ units: 1, useBias: false });
    const net = model({ inputs: features, outputs: top.apply(features) });
    net.compile({ optimizer: 'sgd', loss: 'mse', metrics: ['mae'], weightedMetrics: ['mae'] });
    const { history } = await net.fit(x, y, { sampleWeight: [2, 0] });
    expect(history).toEqual({ loss: [(2 * 1 + 0 * 9) / 2], mae: [2], weighted_mae: [1] });
    const logs = await net.evaluate(x, y, { sampleWeight: new Float32Array([0, 1]) });
    expect(logs).toEqual({ loss: 4.5, mae: 2, weighted_mae: 3 });
  });

  test('come by class', async () => {
    const features = input({ shape: [2] });
    const top = layers.dense({ units: 2, activation: 'softmax', kernelInitializer: 'zeros' });
    const net = model({ inputs: features, outputs: top.apply(features) });
    net.compile({ optimizer: optimizers.sgd({ learningRate: 0 }), loss: 'sparseCategoricalCrossentropy' });
    const { history } = await net.fit(wave([4, 2]), [0, 1, 1, 1], { classWeight: { 0: 6 }, batchSize: 3 });
    expect(history.loss?.[0]).toBeCloseTo((Math.log(2) * (6 + 3)) / 4, 5);
  });
});

describe('several outputs', () => {
  function twoHeads(outputs: 'array' | 'record' = 'array') {
    const features = input({ shape: [2], name: 'features' });
    const score = layers.dense({ units: 1, activation: 'sigmoid', name: 'score' }).apply(features);
    const value = layers.dense({ units: 3, activation: 'softmax', name: 'value' }).apply(features);
    return model({
      inputs: features,
      outputs: outputs === 'array' ? [score, value] : { p: score, q: value },
    } as {
      inputs: typeof features;
      outputs: [typeof score, typeof value];
    });
  }
  const y = () => [
    [0, 1, 1],
    [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
  ];

  test('have losses and metrics of their own, in Keras’s order', async () => {
    const net = twoHeads();
    net.compile({
      optimizer: 'sgd',
      loss: { score: 'bce', value: 'categoricalCrossentropy' },
      metrics: { score: 'accuracy', value: ['accuracy', 'mse'] },
    });
    const { history } = await net.fit(wave([3, 2]), y(), { batchSize: 2 });
    const names = ['loss', 'score_accuracy', 'value_accuracy', 'value_mse', 'score_loss', 'value_loss'];
    expect(net.metricsNames).toEqual(names);
    expect(Object.keys(history).sort()).toEqual([...names].sort());
    expect(net.metrics.map(({ className }) => className).slice(1, 3)).toEqual([
      'BinaryAccuracy',
      'CategoricalAccuracy',
    ]);
  });

  test('come in records, too', async () => {
    const net = twoHeads('record');
    net.compile({ optimizer: 'sgd', loss: { p: 'bce', q: 'mse' }, lossWeights: { p: 2, q: 1 } });
    const [p, q] = y();
    const logs = await net.evaluate(wave([3, 2]), { p, q } as never);
    expect(logs.loss).toBeCloseTo(2 * (logs.p_loss as number) + (logs.q_loss as number), 5);
  });

  test('share a loss, or go without one', async () => {
    const net = twoHeads();
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    expect(Object.keys(await net.evaluate(wave([3, 2]), y())).sort()).toEqual([
      'loss',
      'score_loss',
      'value_loss',
    ]);
    net.compile({ optimizer: 'sgd', loss: ['mse', null] });
    expect(Object.keys(await net.evaluate(wave([3, 2]), y()))).toEqual(['loss']);
    net.compile({ optimizer: 'sgd', loss: { value: 'mse' } });
    expect(Object.keys(await net.evaluate(wave([3, 2]), { value: y()[1] } as never))).toEqual(['loss']);
  });

  test.each<[string, object, RegExp]>([
    ['a loss too few', { loss: ['mse'] }, /1 values for 2 outputs/],
    ['a name that no output has', { loss: { scores: 'mse' } }, /'scores'/],
    ['metrics in one list', { loss: 'mse', metrics: ['mae'] }, /an entry for each of them/],
    ['metrics of no output', { loss: 'mse', metrics: { scores: 'mae' } }, /'scores'/],
    ['an unknown loss', { loss: 'squares' }, /squares/],
    ['an unknown metric', { loss: 'mse', metrics: { score: 'precise' } }, /precise/],
    ['weights that are no numbers', { loss: 'mse', lossWeights: [1, Number.NaN] }, /finite number/],
    ['weights by other names', { loss: 'mse', lossWeights: { scores: 1 } }, /'scores'/],
    ['an unknown optimizer', { optimizer: 'fast', loss: 'mse' }, /fast/],
    ['an unknown option', { losses: 'mse' }, /losses/],
  ])('refuse %s', (_, options, message) => {
    const net = twoHeads();
    expect(() => net.compile(options)).toThrow(message);
    expect(() => net.compile(options)).toThrow(ValueError);
    expect(net.optimizer).toBeNull();
  });
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
    // The loss of an epoch is that after its last batch.
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
  test('by its signal rejects with the reason; what was done is kept', async () => {
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
  test('a second fit is refused, and the first goes on', async () => {
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
  test('say in which epoch and batch, and leave the model usable', async () => {
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

describe('a step of one’s own', () => {
  class Adversary extends Model {
    readonly top = layers.dense({ units: 1 });
    readonly distance = metrics.mean({ name: 'distance' });
    steps = 0;

    override call(x: Tensor): Tensor {
      return this.top.apply(x);
    }

    override trainStep({ x, y }: Batch) {
      this.steps++;
      return tidy(() => {
        const tape = new GradientTape();
        const loss = mean(squaredDifference(this.apply(x as Tensor), y as Tensor));
        const weights = this.trainableWeights;
        this.optimizer?.apply(tape.gradient(loss, weights), weights);
        this.distance.updateState(sub(loss, 0));
        return { distance: this.distance.result() };
      });
    }
  }

  test('is captured and replayed', async () => {
    const net = new Adversary();
    net.compile({ optimizer: optimizers.adam({ learningRate: 0.1 }) });
    const [x, y] = data(8);
    const { history } = await net.fit(x, y, { epochs: 20, batchSize: 4 });
    expect(Object.keys(history)).toEqual(['distance']);
    expect(history.distance?.at(-1)).toBeLessThan(history.distance?.[0] as number);
    expect(net.steps).toBeLessThan(6);
    expect(net.metricsNames).toEqual(['loss', 'distance']);
  });

  test('runs every time where it is asked to', async () => {
    const net = new Adversary();
    net.compile({ optimizer: 'sgd', runEagerly: true });
    await net.fit(...data(8), { epochs: 2, batchSize: 4 });
    expect(net.steps).toBe(4);
  });
});
