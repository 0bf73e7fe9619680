/** @file swapEMAWeights: a model is evaluated with the averages of its weights, and trained with the weights themselves. */
import { beforeAll, expect, test } from 'vitest';
import { init, ValueError } from '../../../src/index.ts';
import { callbacks, layers, optimizers, sequential } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const x = [[1], [2]];
const y = [[3], [5]];
const emaMomentum = 0.5;

/** Returns a model of two weights, w x + b, with full batches. */
function compiled(optimizer: optimizers.Optimizer) {
  const net = sequential([
    layers.inputLayer({ shape: [1] }),
    layers.dense({ units: 1, kernelInitializer: 'zeros' }),
  ]);
  net.compile({ optimizer, loss: 'mse' });
  return net;
}

/** Weights after each step of gradient descent, and their averages, in float64. */
function expected(steps: number, rate: number) {
  let weights: [number, number] = [0, 0];
  let average: [number, number] = [0, 0];
  const losses = [];
  for (let i = 0; i < steps; i++) {
    const errors = x.map(([value], k) => weights[0] * (value as number) + weights[1] - (y[k]?.[0] as number));
    const derivative = (f: (value: number) => number) =>
      errors.reduce((sum, error, k) => sum + error * f(x[k]?.[0] as number), 0);
    weights = [weights[0] - rate * derivative((value) => value), weights[1] - rate * derivative(() => 1)];
    const share = i === 0 ? 0 : emaMomentum;
    average = average.map((old, k) => share * old + (1 - share) * (weights[k] as number)) as [number, number];
    const [w, b] = average;
    losses.push(
      x.reduce((sum, [value], k) => sum + (w * (value as number) + b - (y[k]?.[0] as number)) ** 2 / 2, 0),
    );
  }
  return { weights, average, losses };
}

const trained = (
  net: ReturnType<typeof compiled>,
  epochs: number,
  given: callbacks.CallbackLike[],
  validate = true,
) =>
  net.fit(x, y, {
    epochs,
    verbose: 0,
    callbacks: given,
    ...(validate ? { validationData: [x, y] } : {}),
  });

const valuesOf = async (net: ReturnType<typeof compiled>) =>
  (await Promise.all(net.weights.map((weight) => weight.data()))).map(([value]) => value as number);

test.each([
  ['a fused optimizer', () => optimizers.sgd({ learningRate: 0.1, useEma: true, emaMomentum })],
  [
    'within a loss scale',
    () =>
      optimizers.lossScaleOptimizer({
        innerOptimizer: optimizers.sgd({ learningRate: 0.1, useEma: true, emaMomentum }),
      }),
  ],
])('validation sees the averages, training the weights: %s', async (_, make) => {
  const net = compiled(make());
  const { history } = await trained(net, 4, [callbacks.swapEMAWeights()]);
  const wanted = expected(4, 0.1);
  wanted.losses.forEach((loss, i) => {
    expect(history.val_loss?.[i]).toBeCloseTo(loss, 4);
  });
  // At the end the averages are the weights.
  (await valuesOf(net)).forEach((value, i) => {
    expect(value).toBeCloseTo(wanted.average[i] as number, 5);
  });
});

test('with swapOnEpoch callbacks see the averages, and a run that ends early keeps them', async () => {
  const net = compiled(optimizers.sgd({ learningRate: 0.1, useEma: true, emaMomentum }));
  const seen: number[][] = [];
  const watch = {
    onEpochEnd: async (epoch: number) => {
      seen.push(await valuesOf(net));
      if (epoch === 2) net.stopTraining = true;
    },
  };
  await trained(net, 5, [callbacks.swapEMAWeights({ swapOnEpoch: true }), watch], false);
  const wanted = expected(3, 0.1).average;
  for (const values of [seen[2] as number[], await valuesOf(net)])
    values.forEach((value, i) => {
      expect(value).toBeCloseTo(wanted[i] as number, 5);
    });
  expect(net.optimizer?.holdsAverages).toBe(false);
});

test('it needs averages, and options that it knows', async () => {
  const net = compiled(optimizers.sgd());
  await expect(trained(net, 1, [callbacks.swapEMAWeights()])).rejects.toThrow(/useEma/);
  expect(() => callbacks.swapEMAWeights({ swap: true } as never)).toThrow(ValueError);
  expect(() => callbacks.swapEMAWeights({ swapOnEpoch: 1 } as never)).toThrow(ValueError);
});
