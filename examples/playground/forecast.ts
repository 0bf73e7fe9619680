// An LSTM reads ten values of a wave, and says the next one.
import { init, setRandomSeed } from 'retrograd';
import { layers, optimizers, sequential } from 'retrograd/keras';
import { curves, table } from 'playground';

await init();
setRandomSeed(2);
const wave = Array.from({ length: 140 }, (_, i) => Math.sin(i / 3) + 0.5 * Math.sin(i / 7));
const windows = wave.slice(0, -10).map((_, i) => wave.slice(i, i + 10).map((value) => [value]));
const next = wave.slice(10);

const net = sequential([
  layers.inputLayer({ shape: [10, 1] }),
  layers.lstm({ units: 16 }),
  layers.dense({ units: 1 }),
]);
net.compile({ optimizer: optimizers.adam({ learningRate: 0.02 }), loss: 'meanSquaredError' });
const { history } = await net.fit(windows.slice(0, 110), next.slice(0, 110), {
  epochs: 15,
  batchSize: 22,
  verbose: 0,
});
curves(
  [
    {
      name: 'mean squared error',
      points: (history.loss ?? []).map((loss, i) => [i + 1, loss] as const),
    },
  ],
  { axis: 'epoch' },
);

const said = await (await net.predict(windows.slice(110, 116))).data();
table(
  Array.from(said, (value, i) => ({
    step: 120 + i,
    wave: next[110 + i]?.toFixed(3) ?? '',
    forecast: value.toFixed(3),
  })),
  'Values that it has not seen',
);
