import { beforeAll, describe, expect, test } from 'vitest';
import {
  GradientTape,
  init,
  mean,
  squaredDifference,
  sub,
  type Tensor,
  tensor,
  tidy,
  ValueError,
} from '../../../src/index.ts';
import {
  callbacks,
  initializers,
  input,
  layers,
  metrics,
  model,
  Model,
  optimizers,
} from '../../../src/keras/index.ts';
import type { Batch } from '../../../src/keras/training/index.ts';
import { data, wave } from './support.ts';

beforeAll(async () => {
  await init();
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

  test('the logs of an epoch are ordered by name, as in Keras, and the end of a run has none that callbacks added', async () => {
    const net = twoHeads();
    net.compile({ optimizer: 'sgd', loss: { score: 'bce', value: 'categoricalCrossentropy' } });
    let last: string[] = [];
    const { history } = await net.fit(wave([3, 2]), y(), {
      validationData: [wave([3, 2]), y()] as never,
      callbacks: [
        callbacks.learningRateScheduler({ schedule: () => 0.1 }),
        {
          onTrainEnd: (logs) => {
            last = Object.keys(logs ?? {});
          },
        },
      ],
    });
    const names = ['loss', 'score_loss', 'val_loss', 'val_score_loss', 'val_value_loss', 'value_loss'];
    expect(Object.keys(history)).toEqual([...names, 'learning_rate']);
    expect(last).toEqual(names);
  });

  test('have their own losses and metrics, in Keras’s order', async () => {
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

  test('may be nested: targets, weights, losses and metrics are nested alike, with the logs of Keras 3.15', async () => {
    const x = input({ shape: [2] });
    const head = (name: string, units: number) =>
      layers.dense({ units, kernelInitializer: initializers.constant({ value: 0.5 }), name }).apply(x);
    const net = model({
      inputs: x,
      outputs: { p: head('a', 1), q: [head('b', 1), head('c', 2)], r: { s: head('d', 1) } },
    } as never);
    net.compile({
      optimizer: 'sgd',
      loss: { p: 'mse', q: ['mae', 'mse'], r: { s: 'mse' } },
      lossWeights: { p: 1, q: [0.5, 0.25], r: { s: 2 } },
      metrics: { p: ['mae'], q: [['mse'], ['mae']], r: { s: ['mae'] } },
    });
    const given = [
      [1, 2],
      [3, 4],
      [-1, 0],
      [0.5, 1],
    ];
    const pairs = [
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
    ];
    const y = {
      p: [[1], [2], [3], [4]],
      q: [tensor([[0], [1], [0], [1]]), tensor(pairs)],
      r: { s: tensor([[1], [1], [2], [2]]) },
    };
    const sampleWeight = {
      p: Float32Array.of(1, 2, 1, 1),
      q: [Float32Array.of(1, 1, 0.5, 1), Float32Array.of(2, 1, 1, 1)],
      r: { s: Float32Array.of(1, 1, 1, 3) },
    };
    const options = { batchSize: 2, epochs: 2, shuffle: false, sampleWeight };
    const { history } = await net.fit(tensor(given), y as never, options as never);
    // Computed by Keras 3.15.1 on TensorFlow. It names metrics after layers: 'a_mae'.
    const wanted = {
      loss: [22.901926, 19.335627],
      p_loss: [7.1431265, 6.1345415],
      'q/b_loss': [1.130625, 1.1048439],
      'q/c_loss': [20.701347, 20.550579],
      'r/s_loss': [5.009075, 3.75551],
      p_mae: [2.225625, 1.9625716],
      'q/b_mse': [2.2051625, 2.0789111],
      'q/c_mae': [3.4375, 3.414347],
      'r/s_mae': [1.7525001, 1.392972],
    };
    expect(Object.keys(history).sort()).toEqual(Object.keys(wanted).sort());
    for (const [key, values] of Object.entries(wanted))
      values.forEach((value, i) => {
        expect(history[key]?.[i], key).toBeCloseTo(value, 4);
      });
    const evaluated = await net.evaluate(tensor(given), y as never, { returnDict: true } as never);
    expect((evaluated as unknown as Record<string, number>).loss).toBeCloseTo(15.049122, 4);
    net.dispose();
  });

  test('of one layer that is called twice have one name, and targets of their own', async () => {
    const [a, b] = [input({ shape: [1] }), input({ shape: [1] })];
    const twice = layers.rescaling({ scale: 2 });
    const net = model({ inputs: [a, b], outputs: [twice.apply(a), twice.apply(b)] });
    net.compile({ loss: ['mse', 'mae'] });
    // Outputs 2 and 6: (2 - 1)² + |6 - 3|.
    const logs = await net.evaluate([[[1]], [[3]]] as never, [[[1]], [[3]]] as never);
    expect(logs.loss).toBeCloseTo(4, 5);
  });

  test('have losses that are means over batches, also if the last one is smaller, as in Keras on TensorFlow', async () => {
    const x = input({ shape: [1] });
    const net = model({ inputs: x, outputs: { same: x, double: layers.rescaling({ scale: 2 }).apply(x) } });
    net.compile({ loss: { same: 'mse', double: 'mse' }, lossWeights: { same: 0.5, double: 1 } });
    const zero = [[0], [0], [0]];
    const logs = await net.evaluate([[1], [2], [3]], { same: zero, double: zero }, { batchSize: 2 });
    const ofSamples = (1 + 4 + 9) / 3;
    const ofBatches = ((1 + 4) / 2 + 9) / 2;
    expect(logs).toEqual({
      loss: expect.closeTo(0.5 * ofSamples + 4 * ofSamples, 5),
      same_loss: expect.closeTo(ofBatches, 5),
      double_loss: expect.closeTo(4 * ofBatches, 5),
    });
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
    expect(Object.keys(await net.evaluate(wave([3, 2]), y()[0] as number[]))).toEqual(['loss']);
    net.compile({ optimizer: 'sgd', loss: [null, null] });
    await expect(net.fit(wave([3, 2]))).rejects.toThrow(/trained by a loss/);
    net.compile({ optimizer: 'sgd', loss: { value: 'mse' } });
    expect(Object.keys(await net.evaluate(wave([3, 2]), { value: y()[1] } as never))).toEqual(['loss']);
  });

  test('get the crossentropy that matches their shapes', async () => {
    const net = twoHeads();
    const x = wave([3, 2]);
    net.compile({ loss: 'crossentropy' });
    const found = await net.evaluate(x, y());
    net.compile({ loss: ['binaryCrossentropy', 'categoricalCrossentropy'] });
    expect(await net.evaluate(x, y())).toEqual(found);
    net.compile({ loss: [null, 'ce'] });
    expect(await net.evaluate(x, [0, 1, 2])).toEqual({ loss: expect.closeTo(found.value_loss as number, 5) });
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
  ])('reject %s', (_, options, message) => {
    const net = twoHeads();
    expect(() => net.compile(options)).toThrow(message);
    expect(() => net.compile(options)).toThrow(ValueError);
    expect(net.optimizer).toBeNull();
  });
});

describe('a custom step', () => {
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
    // Recorded, and compared with a new trace at a few of the 40 steps and after the last.
    expect(net.steps).toBe(6);
    expect(net.metricsNames).toEqual(['loss', 'distance']);
  });

  test('runs every time if requested', async () => {
    const net = new Adversary();
    net.compile({ optimizer: 'sgd', runEagerly: true });
    await net.fit(...data(8), { epochs: 2, batchSize: 4 });
    expect(net.steps).toBe(4);
  });
});
