/** @file RandomZoom: zooms into and out of images. */
import { add, mul, sub } from '../../../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { boundsOf, type Factor, givenFactor } from './imageOptions.ts';
import { type AffineOptions, affineTable, maps, RandomAffine } from './randomAffine.ts';
import { factoryOf, layer } from '../../base/declare.ts';

export interface RandomZoomOptions extends AffineOptions {
  /**
   * Bounds, above -1 and up to 1, of the change of the visible height, as a fraction of the image's height. Positive ones
   * zoom out.
   */
  heightFactor: Factor;
  /** As `heightFactor`, for the width. Default null: the same as sampled for the height. */
  widthFactor?: Factor | null;
}

/** At -1, an image would vanish. */
const range = { min: -1, above: true };

export class RandomZoom extends /* @__PURE__ */ layer<RandomZoomOptions, RandomAffine>(
  'RandomZoom',
  () => ({ heightFactor: givenFactor(range), widthFactor: givenFactor(range, null), ...affineTable() }),
  RandomAffine,
) {
  override getRandomTransformation(images: Tensor): Tensor {
    const { heightFactor, widthFactor, name } = this;
    const [, height, width] = images.shape as [number, number, number];
    const sampled = (what: string, factor: Factor) =>
      add(this.column(images, boundsOf(name, what, factor, range)), 1);
    const down = sampled('heightFactor', heightFactor);
    const across = widthFactor === null ? down : sampled('widthFactor', widthFactor);
    // Keeps the centre fixed.
    const offset = (zoom: Tensor, size: number) => mul(sub(1, zoom), (size - 1) / 2);
    return maps([across, 0, offset(across, width), 0, down, offset(down, height)], down);
  }
}

/**
 * Zooms each image around its centre: the visible part is 1 + factor times its size, with a factor between the bounds. Inputs
 * are unchanged where `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input.
 * float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomZoom = /* @__PURE__ */ factoryOf(RandomZoom);
