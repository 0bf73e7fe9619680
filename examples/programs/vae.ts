/** @file A variational autoencoder: a custom sampling layer and the Kullback–Leibler loss. */
import {
  add,
  exp,
  init,
  mean,
  mul,
  randomNormal,
  setRandomSeed,
  square,
  sub,
  sum,
  type Tensor,
} from 'retrograd';
import { input, Layer, layers, model, optimizers } from 'retrograd/keras';

/** Draws z from N(mean, exp(logVariance)), and adds the divergence from N(0, 1) to the loss. */
class Sampling extends Layer<[mean: Tensor, logVariance: Tensor], Tensor> {
  static override readonly className = 'Sampling';

  override call([zMean, zLogVariance]: [mean: Tensor, logVariance: Tensor]): Tensor {
    const divergence = sub(sub(add(square(zMean), exp(zLogVariance)), zLogVariance), 1);
    this.addLoss(mul(0.002, mean(sum(divergence, { axis: -1 }))));
    const noise = randomNormal(zMean.shape);
    return add(zMean, mul(exp(mul(zLogVariance, 0.5)), noise));
  }
}

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(6);
  const curves = Array.from({ length: 64 }, (_, i) =>
    Array.from({ length: 12 }, (_, k) => 0.5 + 0.4 * Math.sin(k / 2 + i)),
  );

  const curve = input({ shape: [12] });
  const hidden = layers.dense({ units: 16, activation: 'relu' }).apply(curve);
  const zMean = layers.dense({ units: 2, name: 'z_mean' }).apply(hidden);
  const zLogVariance = layers.dense({ units: 2, name: 'z_log_variance' }).apply(hidden);
  const z = new Sampling().apply([zMean, zLogVariance]);

  const latent = input({ shape: [2] });
  const decoder = model({
    inputs: latent,
    outputs: layers
      .dense({ units: 12, activation: 'sigmoid' })
      .apply(layers.dense({ units: 16, activation: 'relu' }).apply(latent)),
  });
  const vae = model({ inputs: curve, outputs: decoder.apply(z) });
  vae.compile({ optimizer: optimizers.adam({ learningRate: 0.02 }), loss: 'mse' });
  const { history } = await vae.fit(curves, curves, { epochs: 25, batchSize: 32, verbose: 0 });

  const samples = decoder.apply(randomNormal([3, 2]));
  print(
    `loss ${history.loss[0].toFixed(4)} → ${history.loss.at(-1)?.toFixed(4)}, samples ${samples.shape.join(' × ')}`,
  );
  return { first: history.loss[0], last: history.loss.at(-1), samples: await samples.data() };
}
