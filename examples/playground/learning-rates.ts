// The same network with four learning rates. Too small is slow, too large
// doesn't learn.
import { init } from 'retrograd';
import { initializers, layers, optimizers, sequential } from 'retrograd/keras';
import { curves } from 'playground';

await init();
const x = Array.from({ length: 64 }, (_, i) => [Math.cos(i), Math.sin(i)]);
const y = x.map(([a = 0, b = 0]) => a * b);

const lines = [];
for (const learningRate of [0.001, 0.03, 0.5, 3]) {
  // The same initial weights each time.
  const kernelInitializer = initializers.glorotUniform({ seed: 1 });
  const net = sequential([
    layers.inputLayer({ shape: [2] }),
    layers.dense({ units: 16, activation: 'tanh', kernelInitializer }),
    layers.dense({ units: 1, kernelInitializer }),
  ]);
  net.compile({ optimizer: optimizers.sgd({ learningRate }), loss: 'meanSquaredError' });
  const { history } = await net.fit(x, y, { epochs: 20, batchSize: 16, seed: 1, verbose: 0 });
  const points = (history.loss ?? []).map((loss, epoch) => [epoch + 1, loss] as const);
  lines.push({ name: `rate ${learningRate}`, points });
}
curves(lines, { axis: 'epoch' });
