/**
 * @file The two losses that the example compares: of pixels, and of what a network sees in them.
 */
import {
  abs,
  add,
  addN,
  keep,
  mean,
  mul,
  reciprocal,
  slice,
  squaredDifference,
  sub,
  type Tensor,
  tidy,
  variance,
} from 'retrograd';
import { applications, input, type KerasTensor, model } from 'retrograd/keras';

/** A loss of pictures [1, height, width, 3] with values from 0 to 1. */
export interface Loss extends Disposable {
  /** A scalar. */
  of(picture: Tensor): Tensor;
}

/** The mean squared difference of the pixels. */
export function pixelLoss(target: Tensor): Loss {
  return {
    of: (picture) => mean(squaredDifference(picture, target)),
    [Symbol.dispose]: () => {},
  };
}

export interface PerceptualLossOptions {
  /** Layers of VGG19 whose outputs are compared. */
  layers: readonly string[];
  /** Of the random weights. */
  seed: number;
  /** Weight of the total variation. */
  smoothness: number;
}

/**
 * The squared differences of VGG19's features, each layer's divided by the variance of the target's features there,
 * plus a little total variation.
 *
 * The network is not trained: its weights are drawn by He's rule (He et al., Delving deep into rectifiers, ICCV 2015).
 * Random features carry a perceptual loss: He, Wang and Hopcroft, A Powerful Generative Model Using Random Weights for
 * the Deep Image Representation, NIPS 2016, reconstruct pictures from the features of such a VGG.
 */
export function perceptualLoss(target: Tensor, { layers, seed, smoothness }: PerceptualLossOptions): Loss {
  const { network, features } = featureExtractor(layers, seed);
  const wanted = tidy(() => features.apply(target)).map(keep);
  const scales = wanted.map((feature) => keep(tidy(() => reciprocal(variance(feature)))));
  return {
    of: (picture) => {
      const differences = features
        .apply(picture)
        .map((feature, i) => mul(mean(squaredDifference(feature, wanted[i]!)), scales[i]!));
      return add(addN(differences), mul(totalVariation(picture), smoothness));
    },
    [Symbol.dispose]: () => {
      for (const held of [network, ...wanted, ...scales]) held.dispose();
    },
  };
}

/** The part of VGG19 that leads from a picture to `layers`. Its weights are frozen: only the picture is to change. */
function featureExtractor(layers: readonly string[], seed: number) {
  const picture = input({ shape: [null, null, 3], name: 'picture' });
  const pixels = applications.vgg19.preprocessInput(mul(picture, 255));
  const network = applications.vgg19({ includeTop: false, weights: null, inputTensor: pixels, seed });
  network.trainable = false;
  const outputs = layers.map((name) => network.getLayer(name).output as KerasTensor);
  return { network, features: model({ inputs: picture, outputs }) };
}

/** The mean difference of neighbours, down and across. */
function totalVariation(picture: Tensor): Tensor {
  const [batch, height, width, channels] = picture.shape as [number, number, number, number];
  const part = (y: number, x: number, h: number, w: number) =>
    slice(picture, { begin: [0, y, x, 0], size: [batch, h, w, channels] });
  const down = sub(part(1, 0, height - 1, width), part(0, 0, height - 1, width));
  const across = sub(part(0, 1, height, width - 1), part(0, 0, height, width - 1));
  return add(mean(abs(down)), mean(abs(across)));
}
