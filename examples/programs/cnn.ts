/** @file A convolutional network: it distinguishes images with horizontal and with vertical stripes. */
import { argMax, init, setRandomSeed, tensor } from 'retrograd';
import { layers, sequential } from 'retrograd/keras';

const size = 8;

/** Images [count, 8, 8, 1]; the label says along which axis they change. */
function stripes(count: number) {
  const images = new Float32Array(count * size * size);
  const labels = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    labels[i] = i % 2;
    for (let pixel = 0; pixel < size * size; pixel++) {
      const along = i % 2 ? pixel % size : Math.floor(pixel / size);
      images[i * size * size + pixel] = Math.sin(along * (1.5 + (i % 5) / 5) + i) + 0.2 * Math.sin(pixel * i);
    }
  }
  return { images: tensor(images, { shape: [count, size, size, 1] }), labels };
}

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(3);
  const { images, labels } = stripes(64);

  const net = sequential([
    layers.inputLayer({ shape: [size, size, 1] }),
    layers.conv2d({ filters: 4, kernelSize: 3, activation: 'relu' }),
    layers.maxPooling2d({ poolSize: 2 }),
    layers.flatten(),
    layers.dense({ units: 2, activation: 'softmax' }),
  ]);
  net.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy', metrics: ['accuracy'] });
  const { history } = await net.fit(images, labels, {
    epochs: 20,
    batchSize: 16,
    validationSplit: 0.25,
    verbose: 0,
  });

  const classes = await argMax(await net.predict(images), { axis: -1 }).data();
  const correct = labels.filter((label, i) => label === classes[i]).length / labels.length;
  print(`validation accuracy ${history.val_accuracy.at(-1)?.toFixed(3)}, all images ${correct.toFixed(3)}`);
  return { correct };
}
