import { argMax, init, tensor } from 'retrograd';
import { callbacks, layers, optimizers, sequential } from 'retrograd/keras';
import { curves, pictures, sliders, status } from 'playground';

const { adapter } = await init();
const settings = sliders({
  epochs: { label: 'epochs', value: 60, min: 1, max: 200, step: 1 },
});

// Two arms of points that wind around each other.
const points: number[][] = [];
const classes: number[] = [];
for (let i = 0; i < 400; i++) {
  const arm = i % 2;
  const radius = 0.1 + (0.85 * i) / 400;
  const angle = 9 * radius + Math.PI * arm;
  points.push([radius * Math.cos(angle), radius * Math.sin(angle)]);
  classes.push(arm);
}

const net = sequential([
  layers.inputLayer({ shape: [2] }),
  layers.dense({ units: 64, activation: 'relu' }),
  layers.dense({ units: 64, activation: 'relu' }),
  layers.dense({ units: 2, activation: 'softmax' }),
]);
net.compile({
  optimizer: optimizers.adam({ learningRate: 0.01 }),
  loss: 'sparseCategoricalCrossentropy',
});

// The network's answer at each pixel.
const size = adapter.kind === 'software' ? 64 : 160;
const at = (i: number) => (2 * i) / (size - 1) - 1;
const grid = tensor(
  Array.from({ length: size * size }, (_, i) => [at(i % size), at(Math.floor(i / size))]),
);
const colours = [
  [11, 110, 127],
  [194, 80, 15],
];

async function picture() {
  const answers = await argMax(net.apply(grid), { axis: -1 }).data();
  const data = new Uint8ClampedArray(4 * size * size);
  const paint = (pixel: number, arm: number, alpha: number) =>
    data.set([...(colours[arm] ?? []), alpha], 4 * pixel);
  for (let i = 0; i < answers.length; i++) paint(i, Number(answers[i]), 90);
  points.forEach(([x = 0, y = 0], i) => {
    const column = Math.round(((x + 1) / 2) * (size - 1));
    const row = Math.round(((y + 1) / 2) * (size - 1));
    paint(row * size + column, classes[i] ?? 0, 255);
  });
  return [{ title: 'The boundary', pixels: { width: size, height: size, data } }];
}

const losses: [number, number][] = [];
const said = status('Training …');
const plot = curves([{ name: 'cross-entropy', points: losses }], { axis: 'epoch' });
const shown = pictures(await picture());

await net.fit(tensor(points), tensor(classes, { dtype: 'int32' }), {
  epochs: settings.epochs,
  batchSize: 50,
  verbose: 0,
  callbacks: [
    callbacks.lambdaCallback({
      onEpochEnd: async (epoch, logs) => {
        losses.push([epoch + 1, Number(logs?.loss)]);
        plot.update([{ name: 'cross-entropy', points: losses }]);
        if (epoch % 4 === 3) shown.update(await picture());
      },
    }),
  ],
});
said.update(`Trained: a loss of ${losses.at(-1)?.[1].toPrecision(2)}.`);
shown.update(await picture());
