// Low-rank adaptation: a trained layer stays as it is, and a small addition
// learns the new task.
import { init, setRandomSeed } from 'retrograd';
import { layers, optimizers, sequential } from 'retrograd/keras';
import { curves, table } from 'playground';

await init();
setRandomSeed(3);
const x = Array.from({ length: 128 }, (_, i) => [
  Math.sin(i),
  Math.cos(1.3 * i),
  Math.sin(0.7 * i),
]);
const task = (shift: number) => x.map(([a = 0, b = 0, c = 0]) => a * b + Math.tanh(c + shift));

const hidden = layers.dense({ units: 64, activation: 'tanh', name: 'hidden' });
const last = layers.dense({ units: 1, name: 'last' });
const net = sequential([layers.inputLayer({ shape: [3] }), hidden, last]);
const trained = () => net.trainableWeights.reduce((total, { size }) => total + size, 0);

async function learn(y: number[], epochs: number) {
  net.compile({ optimizer: optimizers.adam({ learningRate: 0.02 }), loss: 'meanSquaredError' });
  const { history } = await net.fit(x, y, { epochs, batchSize: 32, seed: 1, verbose: 0 });
  return (history.loss ?? []).map((loss, epoch) => [epoch + 1, loss] as const);
}

const before = trained();
const first = await learn(task(0), 25);
hidden.enableLora(2);
last.trainable = false;
const adapted = await learn(task(1), 25);

curves(
  [
    { name: 'first task', points: first },
    { name: 'new task, adapter only', points: adapted },
  ],
  { axis: 'epoch' },
);
table([
  { step: 'the first task', 'values trained': before },
  { step: 'the new task', 'values trained': trained() },
]);
