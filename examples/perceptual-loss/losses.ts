/**
 * @file The two losses that the example compares: of pixels, and of a network's features.
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
import type { Features } from './vgg.ts';

/** A loss of pictures [1, height, width, 3] with values from 0 to 1. */
export interface Loss extends Disposable {
  /** The loss of a picture, a scalar. */
  of(picture: Tensor): Tensor;
}

/** The mean squared difference of the pixels. */
export function pixelLoss(target: Tensor): Loss {
  return {
    of: (picture) => mean(squaredDifference(picture, target)),
    [Symbol.dispose]: () => {},
  };
}

/**
 * The squared differences of a VGG's features, each layer's divided by the variance of the target's features there, plus a
 * little total variation, weighted by `smoothness`. The network belongs to the caller.
 */
export function perceptualLoss(target: Tensor, features: Features, smoothness: number): Loss {
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
      for (const held of [...wanted, ...scales]) held.dispose();
    },
  };
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
