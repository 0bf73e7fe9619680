/** @file A vision transformer: patches by a strided convolution, a class token in front, position embeddings, one block. */
import {
  add,
  broadcastTo,
  concat,
  gather,
  init,
  setRandomSeed,
  type Tensor,
  tensor,
  type Variable,
} from 'retrograd';
import { input, type KerasTensor, Layer, layers, model, optimizers } from 'retrograd/keras';

const size = 8;
const patch = 4;
const width = 16;
const patches = (size / patch) ** 2;

/** [batch, patches, width] → [batch, 1 + patches, width]: a learned token in front, and learned positions on all. */
class ClassTokenAndPositions extends Layer {
  static override readonly className = 'ClassTokenAndPositions';
  token!: Variable;
  positions!: Variable;

  override build(): void {
    this.token = this.addWeight('token', { shape: [1, 1, width], initializer: 'zeros' });
    this.positions = this.addWeight('positions', {
      shape: [1, 1 + patches, width],
      initializer: 'randomNormal',
    });
  }

  override call(x: Tensor): Tensor {
    const tokens = broadcastTo(this.token, { shape: [x.shape[0], 1, width] });
    return add(concat([tokens, x], { axis: 1 }), this.positions);
  }
}

function block(x: KerasTensor): KerasTensor {
  const normed = layers.layerNormalization().apply(x);
  const attended = layers.multiHeadAttention({ numHeads: 2, keyDim: width / 2 }).apply([normed, normed]);
  const sum = layers.add().apply([x, attended]);
  const hidden = layers
    .dense({ units: 2 * width, activation: 'gelu' })
    .apply(layers.layerNormalization().apply(sum));
  return layers.add().apply([sum, layers.dense({ units: width }).apply(hidden)]);
}

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(11);
  // Which quarter of the image is bright.
  const labels = Array.from({ length: 64 }, (_, i) => i % 4);
  const values = labels.flatMap((label, i) =>
    Array.from({ length: size * size }, (_, pixel) => {
      const quarter = 2 * Number(Math.floor(pixel / size) >= 4) + Number(pixel % size >= 4);
      return Number(quarter === label) + 0.3 * Math.sin(pixel * (i + 1));
    }),
  );
  const images = tensor(values, { shape: [labels.length, size, size, 1] });

  const image = input({ shape: [size, size, 1] });
  let x = layers.conv2d({ filters: width, kernelSize: patch, strides: patch }).apply(image);
  x = layers.reshape({ targetShape: [patches, width] }).apply(x);
  x = new ClassTokenAndPositions().apply(x);
  x = block(x);
  const classToken = gather(x, 0, { axis: 1 });
  const net = model({
    inputs: image,
    outputs: layers.dense({ units: 4, activation: 'softmax' }).apply(classToken),
  });
  net.compile({
    optimizer: optimizers.adam({ learningRate: 0.01 }),
    loss: 'sparseCategoricalCrossentropy',
    metrics: ['accuracy'],
  });
  const { history } = await net.fit(images, labels, { epochs: 12, batchSize: 16, verbose: 0 });
  print(`accuracy ${history.accuracy[0].toFixed(3)} → ${history.accuracy.at(-1)?.toFixed(3)}`);
  return { accuracy: history.accuracy.at(-1) };
}
