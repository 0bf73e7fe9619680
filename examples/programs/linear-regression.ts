/** @file Linear regression: y = 3x + 2 from noisy points, by gradient descent on the mean squared error. */
import { init, setRandomSeed } from 'retrograd';
import { layers, optimizers, sequential } from 'retrograd/keras';

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(1);
  const x = Array.from({ length: 64 }, (_, i) => i / 32 - 1);
  const y = x.map((value, i) => 3 * value + 2 + 0.1 * Math.sin(7 * i));

  const net = sequential([layers.inputLayer({ shape: [1] }), layers.dense({ units: 1, name: 'line' })]);
  net.compile({ optimizer: optimizers.sgd({ learningRate: 0.2 }), loss: 'mse' });
  const { history } = await net.fit(x, y, { epochs: 20, batchSize: 16, verbose: 0 });

  const [weight, offset] = await Promise.all(net.getWeights().map((tensor) => tensor.item()));
  print(`y = ${weight.toFixed(2)} x + ${offset.toFixed(2)}, loss ${history.loss.at(-1)?.toFixed(4)}`);
  return { weight, offset };
}
