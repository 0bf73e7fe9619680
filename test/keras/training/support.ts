/** @file Small models and data for tests of training. */
import { type Tensor, tensor, tidy } from '../../../src/index.ts';
import { input, layers, model } from '../../../src/keras/index.ts';

/** Pseudo-random values, the same in every run. */
export function wave(shape: readonly number[], pace = 0.7): Tensor {
  const size = shape.reduce((product, n) => product * n, 1);
  return tensor(
    Float32Array.from({ length: size }, (_, i) => Math.sin(i * pace + pace)),
    { shape },
  );
}

/** Samples of two features and their targets. */
export const data = (rows: number) => [wave([rows, 2], 0.37), wave([rows, 1], 1.3)] as const;

/** Two features, a hidden layer, one output; always with the same weights. */
export function regressor() {
  const features = input({ shape: [2], name: 'features' });
  const hidden = layers.dense({ units: 3, activation: 'tanh', name: 'hidden' });
  const top = layers.dense({ units: 1, name: 'top' });
  const net = model({ inputs: features, outputs: top.apply(hidden.apply(features)) });
  tidy(() => net.setWeights([wave([2, 3], 0.9), wave([3], 0.4), wave([3, 1], 1.1), wave([1], 0.2)]));
  return net;
}

/** Returns the values of all weights. */
export async function weightsOf(net: { weights: readonly Tensor[] }): Promise<number[][]> {
  return Promise.all(net.weights.map(async (weight) => [...(await weight.data())]));
}
