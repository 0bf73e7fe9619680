/** @file The same seed on the same device: the same weights and losses, bit by bit, however the steps run. */
import { beforeAll, expect, test } from 'vitest';
import { init, type Tensor } from '../../../src/index.ts';
import { clearSession, initializers, layers, sequential } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const x = Array.from({ length: 20 }, (_, i) => Array.from({ length: 5 }, (_, k) => Math.sin(i * k + i)));
const y = Array.from({ length: 20 }, (_, i) => [i % 3]);

async function train(seed: number, runEagerly: boolean) {
  clearSession();
  using net = sequential([
    layers.input({ shape: [5] }),
    layers.dense({ units: 8, activation: 'tanh', kernelInitializer: initializers.heNormal({ seed }) }),
    layers.gaussianNoise({ stddev: 0.1, seed }),
    layers.dropout({ rate: 0.3, seed }),
    layers.dense({ units: 1, kernelInitializer: initializers.heNormal({ seed: seed + 1 }) }),
  ]);
  net.compile({ optimizer: 'adam', loss: 'mse', runEagerly });
  const { history } = await net.fit(x, y, { epochs: 3, batchSize: 8, seed, verbose: 0 });
  const weights = await Promise.all(net.weights.map(async (weight) => [...(await weight.data())]));
  const predicted = (await net.predict(x)) as Tensor;
  const values = [...(await predicted.data())];
  predicted.dispose();
  return { losses: history.loss, weights, values };
}

test('training again, eagerly or compiled, ends at the same bits; with another seed at others', async () => {
  const first = await train(3, false);
  expect(await train(3, false)).toEqual(first);
  expect(await train(3, true)).toEqual(first);
  expect((await train(4, false)).weights).not.toEqual(first.weights);
});
