// Training stops when the validation loss no longer falls, and the best
// weights come back.
import { init, setRandomSeed } from 'retrograd';
import { callbacks, layers, optimizers, sequential } from 'retrograd/keras';
import { curves, text } from 'playground';

await init();
setRandomSeed(7);

// Forty noisy points of a sine, in any order: few enough that a network learns
// the noise.
const noise = (i: number) => 0.4 * Math.sin(i * 12.9898);
const x = Array.from({ length: 40 }, (_, i) => ((i * 7) % 40) * 0.15 - 3);
const y = x.map((at, i) => Math.sin(at) + noise(i));

const net = sequential([
  layers.inputLayer({ shape: [1] }),
  layers.dense({ units: 64, activation: 'tanh' }),
  layers.dense({ units: 64, activation: 'tanh' }),
  layers.dense({ units: 1 }),
]);
net.compile({ optimizer: optimizers.adam({ learningRate: 0.01 }), loss: 'meanSquaredError' });

const stopping = callbacks.earlyStopping({
  monitor: 'val_loss',
  patience: 15,
  restoreBestWeights: true,
});
const { history } = await net.fit(x, y, {
  epochs: 100,
  batchSize: 32,
  validationSplit: 0.25,
  callbacks: stopping,
  verbose: 0,
});
const points = (losses: readonly number[] = []) => losses.map((loss, i) => [i + 1, loss] as const);
curves(
  [
    { name: 'training', points: points(history.loss) },
    { name: 'validation', points: points(history.val_loss) },
  ],
  { axis: 'epoch' },
);
text(`Stopped after ${history.loss?.length} of 100 epochs.`, 'good');
