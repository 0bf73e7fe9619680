/** @file The base of layers that change the colours of images by random factors. */
import { clip } from '../../../../ops/elementwise/clip.ts';
import { add, mul, sub } from '../../../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { type Bounds, type Factor, factorOf, type FactorRange, valueRange } from './imageOptions.ts';

export interface ColourOptions extends RandomImageOptions {
  /** The bounds of the factor: a pair, or a number. */
  factor: Factor;
  /** The smallest and the largest value of a pixel; results are clipped to them. Default [0, 255]. */
  valueRange?: Bounds;
}

/** The table of these options. */
export const colourTable = (range: FactorRange, fallback?: Factor) => ({
  factor: factorOf(range, fallback),
  valueRange: valueRange(),
  ...randomTable(),
});

/** Draws one number for each image, [batch, 1, 1, 1]. */
export abstract class RandomColour extends RandomImageLayer<Tensor> {
  declare readonly factor: Bounds;
  declare readonly valueRange: Bounds;

  /** Returns a number between the bounds of `factor` for each image. */
  override getRandomTransformation(images: Tensor): Tensor {
    return this.perImage(images, this.factor);
  }

  protected clipped(images: Tensor): Tensor {
    const [min, max] = this.valueRange;
    return clip(images, { min, max });
  }
}

/** Maps values from the range `from` to the range `to`. */
export function rescaled(images: Tensor, from: Bounds, to: Bounds): Tensor {
  if (from[0] === to[0] && from[1] === to[1]) return images;
  const shares = mul(sub(images, from[0]), 1 / (from[1] - from[0]));
  return add(mul(shares, to[1] - to[0]), to[0]);
}
