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
  tidy,
  variance,
} from 'retrograd';
import { vggFeatures } from './features.js';

/** The mean squared difference of the pixels. */
export function pixelLoss(target) {
  return {
    of: (picture) => mean(squaredDifference(picture, target)),
    dispose() {},
  };
}

/**
 * The mean squared difference of what VGG19 sees at `layers`, each divided by the variance there and times its
 * weight, and a little total variation, which calms what the features don't see.
 */
export async function perceptualLoss(target, { layers, weights, seed }) {
  const features = await vggFeatures(layers, seed);
  const see = (picture) => [features.apply(picture)].flat();
  const wanted = tidy(() => see(target)).map(keep);
  const scales = wanted.map((feature) =>
    keep(tidy(() => reciprocal(variance(feature)))),
  );
  return {
    of: (picture) => {
      const distances = see(picture).map((feature, i) =>
        mul(
          mul(mean(squaredDifference(feature, wanted[i])), scales[i]),
          weights[i],
        ),
      );
      return add(addN(distances), mul(totalVariation(picture), 1e-3));
    },
    dispose() {
      for (const held of [features, ...wanted, ...scales]) held.dispose();
    },
  };
}

/** The mean difference of neighbours, down and across. */
export function totalVariation(picture) {
  const [batch, height, width, channels] = picture.shape;
  const part = (y, x, h, w) =>
    slice(picture, { begin: [0, y, x, 0], size: [batch, h, w, channels] });
  const down = sub(
    part(1, 0, height - 1, width),
    part(0, 0, height - 1, width),
  );
  const across = sub(
    part(0, 1, height, width - 1),
    part(0, 0, height, width - 1),
  );
  return add(mean(abs(down)), mean(abs(across)));
}
