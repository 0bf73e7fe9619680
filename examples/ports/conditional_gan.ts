/** @file A conditional GAN: the class joins the noise of the generator, and the channels that the discriminator sees. */
import { GradientTape, init, type Tensor, tidy } from 'retrograd';
import { type Batch, layers, losses, Model, ops, optimizers, sequential } from 'retrograd/keras';
import { type Curves, integers, normal, setKernels, uniform } from './formula.ts';

const size = 8;
const classes = 3;
const latentSize = 6;

type Examples = { images: Tensor; labels: Tensor; noise: Tensor };

class ConditionalGAN extends Model<Examples, Tensor> {
  readonly discriminator = sequential([
    layers.inputLayer({ shape: [size, size, 1 + classes] }),
    layers.conv2d(6, 3, { strides: 2, padding: 'same' }),
    layers.leakyReLU({ negativeSlope: 0.2 }),
    layers.conv2d(8, 3, { strides: 2, padding: 'same' }),
    layers.leakyReLU({ negativeSlope: 0.2 }),
    layers.globalMaxPooling2d(),
    layers.dense(1),
  ]);
  readonly generator = sequential([
    layers.inputLayer({ shape: [latentSize + classes] }),
    layers.dense(2 * 2 * 8),
    layers.leakyReLU({ negativeSlope: 0.2 }),
    layers.reshape({ targetShape: [2, 2, 8] }),
    layers.conv2dTranspose(8, 4, { strides: 2, padding: 'same' }),
    layers.leakyReLU({ negativeSlope: 0.2 }),
    layers.conv2dTranspose(6, 4, { strides: 2, padding: 'same' }),
    layers.leakyReLU({ negativeSlope: 0.2 }),
    layers.conv2d(1, 5, { padding: 'same', activation: 'sigmoid' }),
  ]);
  readonly dOptimizer = optimizers.adam({ learningRate: 0.003 });
  readonly gOptimizer = optimizers.adam({ learningRate: 0.003 });
  readonly lossOf = losses.binaryCrossentropy({ fromLogits: true });

  override call({ labels, noise }: Examples): Tensor {
    return this.generator.apply(ops.concatenate([noise, labels], { axis: -1 }));
  }

  override trainStep({ x: { images, labels, noise } }: Batch<Examples, null>) {
    return tidy(() => {
      const batch = images.shape[0] as number;
      const plane = ops.reshape(labels, [batch, 1, 1, classes]);
      const planes = ops.broadcastTo(plane, [batch, size, size, classes]);
      const labelled = (pictures: Tensor) => ops.concatenate([pictures, planes], { axis: -1 });
      const latent = ops.concatenate([noise, labels], { axis: -1 });
      const isFake = ops.concatenate([ops.ones([batch, 1]), ops.zeros([batch, 1])], { axis: 0 });

      const fake = this.generator.apply(latent);
      const both = ops.concatenate([labelled(fake), labelled(images)], { axis: 0 });
      const dTape = new GradientTape();
      const dLoss = this.lossOf.call(isFake, this.discriminator.apply(both));
      const dWeights = this.discriminator.trainableWeights;
      this.dOptimizer.apply(dTape.gradient(dLoss, dWeights), dWeights);

      const gTape = new GradientTape();
      const judged = this.discriminator.apply(labelled(this.generator.apply(latent)));
      const gLoss = this.lossOf.call(ops.zeros([batch, 1]), judged);
      const gWeights = this.generator.trainableWeights;
      this.gOptimizer.apply(gTape.gradient(gLoss, gWeights), gWeights);
      return { dLoss, gLoss };
    });
  }
}

export async function run(): Promise<Curves> {
  await init();
  const images = uniform([8, size, size, 1], 1);
  const labels = ops.oneHot(integers([8], 2, classes), classes);
  const noise = normal([8, latentSize], 3);
  const gan = new ConditionalGAN();
  setKernels(gan.discriminator, gan.generator);
  gan.compile();
  const { history } = await gan.fit(
    { images, labels, noise },
    { epochs: 3, batchSize: 8, shuffle: false, verbose: 0 },
  );
  const picture = gan.apply({ images, labels, noise });
  return {
    dLoss: history.dLoss ?? [],
    gLoss: history.gLoss ?? [],
    picture: [...(await picture.data())].slice(0, 4),
  };
}
