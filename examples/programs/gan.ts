/** @file A generative adversarial network: points on a line from noise, with a custom training step. */
import {
  add,
  GradientTape,
  init,
  mean,
  onesLike,
  randomNormal,
  setRandomSeed,
  type Tensor,
  tidy,
  zerosLike,
} from 'retrograd';
import { type Batch, layers, losses, Model, optimizers, sequential } from 'retrograd/keras';

const latentSize = 4;
const crossentropy = losses.binaryCrossentropy({ fromLogits: true });

class GAN extends Model {
  readonly generator = sequential([
    layers.inputLayer({ shape: [latentSize] }),
    layers.dense({ units: 16, activation: 'relu' }),
    layers.dense({ units: 2 }),
  ]);
  readonly discriminator = sequential([
    layers.inputLayer({ shape: [2] }),
    layers.dense({ units: 16, activation: 'leakyRelu' }),
    layers.dense({ units: 1 }),
  ]);

  constructor(
    readonly generatorOptimizer: optimizers.Optimizer,
    readonly discriminatorOptimizer: optimizers.Optimizer,
  ) {
    super();
  }

  override call(latent: Tensor): Tensor {
    return this.generator.apply(latent);
  }

  override trainStep({ x: real }: Batch) {
    return tidy(() => {
      const noise = () => randomNormal([real.shape[0], latentSize]);
      const discriminatorTape = new GradientTape();
      const onReal = this.discriminator.apply(real);
      const onFake = this.discriminator.apply(this.generator.apply(noise()));
      const dLoss = add(
        crossentropy.call(onesLike(onReal), onReal),
        crossentropy.call(zerosLike(onFake), onFake),
      );
      const dWeights = this.discriminator.trainableWeights;
      this.discriminatorOptimizer.apply(discriminatorTape.gradient(dLoss, dWeights), dWeights);

      const generatorTape = new GradientTape();
      const fooled = this.discriminator.apply(this.generator.apply(noise()));
      const gLoss = crossentropy.call(onesLike(fooled), fooled);
      const gWeights = this.generator.trainableWeights;
      this.generatorOptimizer.apply(generatorTape.gradient(gLoss, gWeights), gWeights);
      return { dLoss, gLoss };
    });
  }
}

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(7);
  const real = Array.from({ length: 128 }, (_, i) => [2 + 0.5 * Math.sin(i), -1 + 0.5 * Math.sin(i)]);
  const gan = new GAN(optimizers.adam({ learningRate: 0.01 }), optimizers.adam({ learningRate: 0.01 }));
  gan.compile();
  const { history } = await gan.fit(real, { epochs: 40, batchSize: 32, verbose: 0 });

  const [x, y] = await mean(gan.apply(randomNormal([256, latentSize])), { axis: 0 }).data();
  print(
    `losses ${history.dLoss.at(-1)?.toFixed(3)}, ${history.gLoss.at(-1)?.toFixed(3)}; mean of the points ${x.toFixed(2)}, ${y.toFixed(2)}`,
  );
  return { x, y };
}
