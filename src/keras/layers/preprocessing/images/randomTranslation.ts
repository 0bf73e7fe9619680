/** @file RandomTranslation: moves images. */
import { mul } from '../../../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { boundsOf, type Factor, givenFactor } from './imageOptions.ts';
import { type AffineOptions, affineTable, maps, RandomAffine } from './randomAffine.ts';
import { factoryOf, layer } from '../../base/declare.ts';

export interface RandomTranslationOptions extends AffineOptions {
  /** Bounds as fractions of the height, from -1 to 1; positive ones move down. */
  heightFactor: Factor;
  /** Bounds as fractions of the width, from -1 to 1; positive ones move right. */
  widthFactor: Factor;
}

const range = { min: -1 };

export class RandomTranslation extends /* @__PURE__ */ layer<RandomTranslationOptions, RandomAffine>(
  'RandomTranslation',
  () => ({ heightFactor: givenFactor(range), widthFactor: givenFactor(range), ...affineTable() }),
  RandomAffine,
) {
  override getRandomTransformation(images: Tensor): Tensor {
    const [, height, width] = images.shape as [number, number, number];
    const sampled = (what: 'heightFactor' | 'widthFactor') =>
      this.column(images, boundsOf(this.name, what, this[what], range));
    const down = mul(sampled('heightFactor'), -height);
    const across = mul(sampled('widthFactor'), -width);
    return maps([1, 0, across, 0, 1, down], down);
  }
}

/**
 * Moves each image by fractions of its height and width between the bounds of the factors. Inputs are unchanged where
 * `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomTranslation = /* @__PURE__ */ factoryOf(RandomTranslation);
