/** @file MLP-Mixer: patches of an image, mixed along positions and along channels in turn. */
import { init, type Tensor } from 'retrograd';
import { input, Layer, layers, model, optimizers, sequential } from 'retrograd/keras';
import { type Curves, integers, setKernels, uniform } from './formula.ts';

const patches = 16;
const channels = 8;

class MixerLayer extends Layer {
  readonly overPositions = sequential([layers.dense(patches, 'gelu'), layers.dense(patches)]);
  readonly overChannels = sequential([layers.dense(channels, 'gelu'), layers.dense(channels)]);
  readonly normalize = layers.layerNormalization({ epsilon: 1e-6 });
  readonly swap = layers.permute({ dims: [2, 1] });
  readonly add = layers.add();

  override build(): void {
    this.overPositions.ensureBuilt([null, channels, patches]);
    this.overChannels.ensureBuilt([null, patches, channels]);
    this.normalize.ensureBuilt([null, patches, channels]);
  }

  override call(x: Tensor): Tensor {
    const mixed = this.swap.apply(this.overPositions.apply(this.swap.apply(this.normalize.apply(x))));
    const y = this.add.apply([x, mixed]);
    return this.add.apply([y, this.overChannels.apply(this.normalize.apply(y))]);
  }
}

export async function run(): Promise<Curves> {
  await init();
  const image = input({ shape: [8, 8, 3] });
  let x = layers.conv2d(channels, 2, { strides: 2, name: 'patches' }).apply(image);
  x = layers.reshape({ targetShape: [patches, channels] }).apply(x);
  for (let block = 0; block < 2; block++) x = new MixerLayer().apply(x);
  const representation = layers.globalAveragePooling1d().apply(x);
  const net = model({ inputs: image, outputs: layers.dense(3, 'softmax').apply(representation) });
  setKernels(net);
  net.compile({
    optimizer: optimizers.adamW({ learningRate: 0.005, weightDecay: 0.01 }),
    loss: 'sparseCategoricalCrossentropy',
    metrics: ['accuracy'],
  });
  const [images, labels] = [uniform([16, 8, 8, 3], 1), integers([16], 2, 3)];
  const { history } = await net.fit(images, labels, {
    epochs: 4,
    batchSize: 4,
    shuffle: false,
    validationSplit: 0.25,
    verbose: 0,
  });
  return { loss: history.loss ?? [], accuracy: history.accuracy ?? [], validation: history.val_loss ?? [] };
}
