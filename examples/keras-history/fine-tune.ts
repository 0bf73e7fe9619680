/**
 * @file Fine-tuning: EfficientNetB0 without its top, frozen, under a small head that learns. Whether the base's weights are
 * those of ImageNet or, as here where nothing is downloaded, random: a frozen base stays the same, to the bit.
 */
import { init, setRandomSeed } from 'retrograd';
import { applications, callbacks, initializers, input, layers, model } from 'retrograd/keras';
import { numbers } from './data/numbers.ts';

const size = 32;
const classes = 3;

/** Pictures of stripes: across, down and along the diagonal, under noise. Values from 0 to 255, as the base takes them. */
function stripes(examples: number): { x: Float32Array<ArrayBuffer>; y: number[][] } {
  const next = numbers(5);
  const x = new Float32Array(examples * size * size * 3);
  const y = Array.from({ length: examples }, (_, i) =>
    Array.from({ length: classes }, (_, c) => Number(c === i % classes)),
  );
  for (let i = 0, at = 0; i < examples; i++) {
    const frequency = 0.6 + next();
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        const along = [row, column, row + column][i % classes] as number;
        for (let channel = 0; channel < 3; channel++)
          x[at++] = 127 + 100 * Math.sin(along * frequency) + 40 * (next() - 0.5);
      }
    }
  }
  return { x, y };
}

export async function run(print: (line: string) => void): Promise<void> {
  await init();
  setRandomSeed(1);
  const { x, y } = stripes(24);
  const base = applications.efficientNetB0({ includeTop: false, inputShape: [size, size, 3], weights: null });
  base.trainable = false;
  const before = await Promise.all(base.weights.map((weight) => weight.data()));

  const image = input({ shape: [size, size, 3], name: 'image' });
  // A frozen base runs as in prediction: its batch normalization keeps its statistics.
  let h = base.apply(image, { training: false });
  h = layers.globalAveragePooling2d({ name: 'pooled' }).apply(h);
  // Features of an untrained base are tiny: normalized, they can be distinguished.
  const scaled = layers.normalization({ name: 'scaled' });
  scaled.adapt(await model({ inputs: image, outputs: h }).predict(x));
  h = scaled.apply(h);
  h = layers.dense({ units: 128, activation: 'relu', name: 'hidden' }).apply(h);
  const kernelInitializer = initializers.glorotUniform({ seed: 7 });
  const outputs = layers
    .dense({ units: classes, activation: 'softmax', kernelInitializer, name: 'class' })
    .apply(h);
  const net = model({ inputs: image, outputs, name: 'fine_tune' });
  const count = (weights: readonly { size: number }[]) =>
    weights.reduce((total, { size: n }) => total + n, 0);
  print(
    `${net.weights.length} weights, ${count(net.weights)} values; trained: ${count(net.trainableWeights)}`,
  );

  const sink = callbacks.sinks.memoryFiles();
  const checkpoint = callbacks.modelCheckpoint({
    filepath: 'best.safetensors',
    monitor: 'loss',
    saveBestOnly: true,
    saveWeightsOnly: true,
    sink,
  });
  net.compile({ optimizer: 'adam', loss: 'categoricalCrossentropy', metrics: ['accuracy'] });
  const { history } = await net.fit(x, y, {
    epochs: 6,
    batchSize: 12,
    callbacks: [checkpoint],
    seed: 1,
    verbose: 0,
  });
  history.loss?.forEach((loss, epoch) => {
    print(`epoch ${epoch + 1}: loss ${loss.toFixed(4)}, accuracy ${history.accuracy?.[epoch]?.toFixed(3)}`);
  });
  print(`kept: ${checkpoint.lastSaved}`);

  const after = await Promise.all(base.weights.map((weight) => weight.data()));
  const changed = after.filter((values, i) => !values.every((v, k) => Object.is(v, before[i]?.[k]))).length;
  print(`weights of the base that changed: ${changed} of ${after.length}`);

  print('\nWhat goes wrong: a base that isn’t frozen has all its weights trained.');
  base.trainable = true;
  print(
    `  unfrozen: ${count(net.trainableWeights)} values would be trained; compile the model again to have it so`,
  );
}
