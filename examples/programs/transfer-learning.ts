/** @file Transfer learning: a small network is trained on one task, frozen, and reused under a new head. */
import { init, setRandomSeed, type Tensor, tensor } from 'retrograd';
import { input, layers, model, optimizers, sequential } from 'retrograd/keras';

const size = 8;

/** Images [count, 8, 8, 1] of one wave each, by its frequency and direction. */
function waves(count: number): { images: Tensor; isFast: number[]; isVertical: number[] } {
  const isFast = Array.from({ length: count }, (_, i) => i % 2);
  const isVertical = Array.from({ length: count }, (_, i) => Math.floor(i / 2) % 2);
  const values = isFast.flatMap((fast, i) =>
    Array.from({ length: size * size }, (_, pixel) => {
      const along = isVertical[i] ? pixel % size : Math.floor(pixel / size);
      return Math.sin(along * (fast ? 2.2 : 0.8) + i);
    }),
  );
  return { images: tensor(values, { shape: [count, size, size, 1] }), isFast, isVertical };
}

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(9);
  const { images, isFast, isVertical } = waves(64);

  const pretrained = sequential([
    layers.inputLayer({ shape: [size, size, 1] }),
    layers.conv2d({ filters: 8, kernelSize: 3, activation: 'relu' }),
    layers.flatten({ name: 'features' }),
    layers.dense({ units: 1, activation: 'sigmoid' }),
  ]);
  pretrained.compile({ optimizer: optimizers.adam({ learningRate: 0.01 }), loss: 'binaryCrossentropy' });
  await pretrained.fit(images, isFast, { epochs: 5, batchSize: 16, verbose: 0 });

  const base = model({ inputs: pretrained.input, outputs: pretrained.getLayer('features').output });
  base.trainable = false;
  const image = input({ shape: [size, size, 1] });
  const features = base.apply(image, { training: false });
  const net = model({
    inputs: image,
    outputs: layers.dense({ units: 1, activation: 'sigmoid', name: 'direction' }).apply(features),
  });
  const kernelBefore = await base.weights[0].data();
  net.compile({
    optimizer: optimizers.adam({ learningRate: 0.02 }),
    loss: 'binaryCrossentropy',
    metrics: ['accuracy'],
  });
  const { history } = await net.fit(images, isVertical, { epochs: 12, batchSize: 16, verbose: 0 });
  const kernelAfter = await base.weights[0].data();

  const accuracy = history.accuracy.at(-1);
  const isUnchanged = kernelAfter.every((value, i) => value === kernelBefore[i]);
  print(
    `accuracy ${accuracy?.toFixed(3)}, trainable weights ${net.trainableWeights.length}, base unchanged: ${isUnchanged}`,
  );
  return { accuracy, isUnchanged, trained: net.trainableWeights.length };
}
