/** @file Denoising diffusion: a residual U-Net learns the noise of images, and an average of its weights draws new ones. */
import { GradientTape, init, type Tensor, tidy } from 'retrograd';
import {
  type Batch,
  cloneModel,
  input,
  type KerasTensor,
  layers,
  losses,
  metrics,
  Model,
  model,
  ops,
  optimizers,
  registerClass,
} from 'retrograd/keras';
import { type Curves, normal, setKernels, uniform } from './formula.ts';

const size = 8;
const embedding = 8;
const [minSignal, maxSignal, ema] = [0.1, 0.95, 0.9];

type Examples = { images: Tensor; noises: Tensor; times: Tensor };
type Network = Model<readonly [noisy: Tensor, variances: Tensor], Tensor>;

/** `cloneModel` finds it by its name. */
function sinusoidalEmbedding(x: Tensor): Tensor {
  const frequencies = ops.exp(ops.linspace(Math.log(1), Math.log(100), embedding / 2));
  const angles = ops.multiply(ops.multiply(2 * Math.PI, frequencies), x);
  return ops.concatenate([ops.sin(angles), ops.cos(angles)], { axis: 3 });
}

registerClass(sinusoidalEmbedding, { package: 'ddim', name: 'sinusoidal_embedding' });

function residualBlock(x: KerasTensor, width: number): KerasTensor {
  const residual = x.shape[3] === width ? x : layers.conv2d(width, 1).apply(x);
  let y = layers.batchNormalization({ center: false, scale: false }).apply(x);
  y = layers.conv2d(width, 3, { padding: 'same', activation: 'swish' }).apply(y);
  y = layers.conv2d(width, 3, { padding: 'same' }).apply(y);
  return layers.add().apply([y, residual]);
}

function getNetwork(widths: readonly number[]): Network {
  const noisy = input({ shape: [size, size, 3] });
  const variances = input({ shape: [1, 1, 1] });
  let e = layers.lambda({ function: sinusoidalEmbedding }).apply(variances);
  e = layers.upSampling2d({ size, interpolation: 'nearest' }).apply(e);
  let x = layers.concatenate().apply([layers.conv2d(widths[0] as number, 1).apply(noisy), e]);
  const skips: KerasTensor[] = [];
  const [deepest, ...shallower] = widths.toReversed() as [number, ...number[]];
  for (const width of shallower.toReversed()) {
    x = residualBlock(x, width);
    skips.push(x);
    x = layers.averagePooling2d({ poolSize: 2 }).apply(x);
  }
  x = residualBlock(x, deepest);
  for (const width of shallower) {
    x = layers.upSampling2d({ size: 2, interpolation: 'bilinear' }).apply(x);
    x = residualBlock(layers.concatenate().apply([x, skips.pop() as KerasTensor]), width);
  }
  x = layers.conv2d(3, 1, { kernelInitializer: 'zeros' }).apply(x);
  return model({ inputs: [noisy, variances], outputs: x, name: 'residual_unet' });
}

class DiffusionModel extends Model<Examples, Tensor> {
  readonly normalizer = layers.normalization();
  readonly noiseLossTracker = metrics.mean({ name: 'n_loss' });
  readonly imageLossTracker = metrics.mean({ name: 'i_loss' });
  lossOf = losses.meanAbsoluteError();

  constructor(
    readonly network: Network,
    readonly emaNetwork: Network,
  ) {
    super();
  }

  override get metrics() {
    return [this.noiseLossTracker, this.imageLossTracker];
  }

  override call({ images, noises, times }: Examples): Tensor {
    const { noisy, rates } = this.mix({ images, noises, times });
    return this.denoise(noisy, rates, false).images;
  }

  diffusionSchedule(times: Tensor): [noiseRates: Tensor, signalRates: Tensor] {
    const [start, end] = [Math.acos(maxSignal), Math.acos(minSignal)];
    const angles = ops.add(start, ops.multiply(times, end - start));
    return [ops.sin(angles), ops.cos(angles)];
  }

  denoise(noisy: Tensor, [noiseRates, signalRates]: [Tensor, Tensor], training: boolean) {
    const network = training ? this.network : this.emaNetwork;
    const noises = network.apply([noisy, ops.square(noiseRates)], { training });
    const images = ops.divide(ops.subtract(noisy, ops.multiply(noiseRates, noises)), signalRates);
    return { noises, images };
  }

  /** Images in place of noise, in a few steps back in time. */
  generate(noise: Tensor, steps: number): Tensor {
    let noisy = noise;
    let images = noise;
    for (let step = 0; step < steps; step++) {
      const times = ops.subtract(ops.ones([noise.shape[0] as number, 1, 1, 1]), step / steps);
      const seen = this.denoise(noisy, this.diffusionSchedule(times), false);
      const [noiseRates, signalRates] = this.diffusionSchedule(ops.subtract(times, 1 / steps));
      noisy = ops.add(ops.multiply(signalRates, seen.images), ops.multiply(noiseRates, seen.noises));
      images = seen.images;
    }
    const { mean, variance } = this.normalizer;
    return ops.clip(ops.add(mean as Tensor, ops.multiply(images, ops.sqrt(variance as Tensor))), 0, 1);
  }

  mix(x: Examples) {
    const images = this.normalizer.apply(x.images);
    const rates = this.diffusionSchedule(x.times);
    const noisy = ops.add(ops.multiply(rates[1], images), ops.multiply(rates[0], x.noises));
    return { images, rates, noisy };
  }

  override trainStep({ x }: Batch<Examples, null>) {
    return tidy(() => {
      const { images, rates, noisy } = this.mix(x);
      const tape = new GradientTape();
      const found = this.denoise(noisy, rates, true);
      const noiseLoss = this.lossOf.call(x.noises, found.noises);
      const imageLoss = this.lossOf.call(images, found.images);
      const weights = this.network.trainableWeights;
      this.optimizer?.apply(tape.gradient(noiseLoss, weights), weights);
      this.noiseLossTracker.updateState(noiseLoss);
      this.imageLossTracker.updateState(imageLoss);
      for (const [i, average] of this.emaNetwork.weights.entries()) {
        const weight = this.network.weights[i] as Tensor;
        average.assign(ops.add(ops.multiply(ema, average), ops.multiply(1 - ema, weight)));
      }
      return { n_loss: this.noiseLossTracker.result(), i_loss: this.imageLossTracker.result() };
    });
  }

  override testStep({ x }: Batch<Examples, null>) {
    return tidy(() => {
      const { images, rates, noisy } = this.mix(x);
      const found = this.denoise(noisy, rates, false);
      this.noiseLossTracker.updateState(this.lossOf.call(x.noises, found.noises));
      this.imageLossTracker.updateState(this.lossOf.call(images, found.images));
      return { n_loss: this.noiseLossTracker.result(), i_loss: this.imageLossTracker.result() };
    });
  }
}

export async function run(): Promise<Curves> {
  await init();
  const images = uniform([8, size, size, 3], 1);
  const x = { images, noises: normal([8, size, size, 3], 2), times: uniform([8, 1, 1, 1], 3) };
  const network = getNetwork([6, 8, 10]);
  setKernels(network);
  const emaNetwork = cloneModel(network);
  emaNetwork.setWeights(network.getWeights());
  const diffusion = new DiffusionModel(network, emaNetwork);
  diffusion.normalizer.adapt(images);
  diffusion.compile({
    optimizer: optimizers.adamW({ learningRate: 0.005, weightDecay: 0.01 }),
    loss: losses.meanAbsoluteError(),
  });
  const { history } = await diffusion.fit(x, {
    epochs: 3,
    batchSize: 4,
    shuffle: false,
    verbose: 0,
    validationData: [x, null],
  });
  const generated = diffusion.generate(normal([2, size, size, 3], 4), 2);
  return {
    noise: history.n_loss ?? [],
    image: history.i_loss ?? [],
    validation: history.val_n_loss ?? [],
    generated: [...(await ops.mean(generated, { axis: [1, 2] }).data())],
  };
}
