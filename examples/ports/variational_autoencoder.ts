/** @file A variational autoencoder with its own training step; the noise of the sampling layer comes with the data. */
import { GradientTape, init, type Tensor, tidy } from 'retrograd';
import {
  type Batch,
  input,
  Layer,
  layers,
  losses,
  metrics,
  Model,
  model,
  ops,
  optimizers,
} from 'retrograd/keras';
import { type Curves, normal, setKernels, uniform } from './formula.ts';

type Examples = { images: Tensor; noise: Tensor };
type Encoding = [mean: Tensor, logVariance: Tensor, z: Tensor];

class Sampling extends Layer<[mean: Tensor, logVariance: Tensor, noise: Tensor], Tensor> {
  override call([mean, logVariance, noise]: [mean: Tensor, logVariance: Tensor, noise: Tensor]): Tensor {
    return ops.add(mean, ops.multiply(ops.exp(ops.multiply(logVariance, 0.5)), noise));
  }
}

class VAE extends Model<Examples, Tensor> {
  readonly totalLoss = metrics.mean({ name: 'loss' });
  readonly reconstructionLoss = metrics.mean({ name: 'reconstruction_loss' });
  readonly klLoss = metrics.mean({ name: 'kl_loss' });

  constructor(
    readonly encoder: Model<[Tensor, Tensor], Encoding>,
    readonly decoder: Model,
  ) {
    super();
  }

  override call({ images, noise }: Examples): Tensor {
    return this.decoder.apply(this.encoder.apply([images, noise])[2]);
  }

  override get metrics() {
    return [this.totalLoss, this.reconstructionLoss, this.klLoss];
  }

  override trainStep({ x: { images, noise } }: Batch<Examples, null>) {
    return tidy(() => {
      const tape = new GradientTape();
      const [mean, logVariance, z] = this.encoder.apply([images, noise]);
      const errors = losses.binaryCrossentropy({ reduction: null }).call(images, this.decoder.apply(z));
      const reconstruction = ops.mean(ops.sum(errors, { axis: [1, 2] }));
      const variance = ops.exp(logVariance);
      const divergence = ops.subtract(ops.subtract(ops.add(1, logVariance), ops.square(mean)), variance);
      const kl = ops.mean(ops.sum(ops.multiply(divergence, -0.5), { axis: 1 }));
      const total = ops.add(reconstruction, kl);
      this.optimizer?.apply(tape.gradient(total, this.trainableWeights), this.trainableWeights);
      this.totalLoss.updateState(total);
      this.reconstructionLoss.updateState(reconstruction);
      this.klLoss.updateState(kl);
      return { loss: total, reconstruction, kl };
    });
  }
}

export async function run(): Promise<Curves> {
  await init();
  const image = input({ shape: [8, 8, 1] });
  const noise = input({ shape: [2] });
  let x = layers.conv2d(4, 3, { activation: 'relu', strides: 2, padding: 'same' }).apply(image);
  x = layers.flatten().apply(x);
  x = layers.dense(8, 'relu').apply(x);
  const mean = layers.dense(2, { name: 'z_mean' }).apply(x);
  const logVariance = layers.dense(2, { name: 'z_log_var' }).apply(x);
  const z = new Sampling().apply([mean, logVariance, noise]);
  const encoder = model({ inputs: [image, noise], outputs: [mean, logVariance, z] });

  const latent = input({ shape: [2] });
  let y = layers.dense(4 * 4 * 4, 'relu').apply(latent);
  y = layers.reshape({ targetShape: [4, 4, 4] }).apply(y);
  y = layers.conv2dTranspose(4, 3, { activation: 'relu', strides: 2, padding: 'same' }).apply(y);
  y = layers.conv2dTranspose(1, 3, { activation: 'sigmoid', padding: 'same' }).apply(y);
  const decoder = model({ inputs: latent, outputs: y });

  const vae = new VAE(encoder as never, decoder);
  setKernels(encoder, decoder);
  vae.compile({ optimizer: optimizers.adam({ learningRate: 0.01 }) });
  const { history } = await vae.fit(
    { images: uniform([8, 8, 8, 1], 1), noise: normal([8, 2], 2) },
    { epochs: 4, batchSize: 8, shuffle: false, verbose: 0 },
  );
  const decoded = await decoder.apply(uniform([1, 2], 3, -1, 1)).data();
  // `kl` is a small difference of large numbers, and part of the loss.
  const { loss = [], reconstruction = [] } = history;
  return { loss, reconstruction, decoded: [...decoded].slice(0, 4) };
}
