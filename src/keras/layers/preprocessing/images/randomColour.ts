/** @file The base of layers that change the colours of images by random factors. */
import type { OptionNames } from '../../../../core/options.ts';
import { clip } from '../../../../ops/clip.ts';
import { add, mul, sub } from '../../../../ops/arithmetic.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { layerOptionNames } from '../../base/layerOptions.ts';
import { RandomImageLayer, type RandomImageOptions } from './imageLayer.ts';
import { type Bounds, boundsOf, type Factor, type FactorRange, valueRangeOf } from './imageOptions.ts';

export interface ColourOptions extends RandomImageOptions {
  /** The bounds of the factor: a pair, or a number. */
  factor: Factor;
  /** The smallest and the largest value of a pixel; results are clipped to them. Default [0, 255]. */
  valueRange?: Bounds;
}

export const colourOptionNames: OptionNames<ColourOptions> = {
  factor: true,
  valueRange: true,
  seed: true,
  dataFormat: false,
  ...layerOptionNames,
};

/** Draws one number for each image, [batch, 1, 1, 1]. */
export abstract class RandomColour extends RandomImageLayer<Tensor> {
  readonly factor: Bounds;
  readonly valueRange: Bounds;

  constructor(options: ColourOptions, range: FactorRange) {
    super(options);
    this.factor = boundsOf(this.name, 'factor', options.factor, range);
    this.valueRange = valueRangeOf(this.name, options.valueRange);
  }

  /** Returns a number between the bounds of `factor` for each image. */
  override getRandomTransformation(images: Tensor): Tensor {
    return this.perImage(images, this.factor);
  }

  protected clipped(images: Tensor): Tensor {
    const [min, max] = this.valueRange;
    return clip(images, { min, max });
  }

  override getConfig(): Record<string, unknown> {
    const { factor, valueRange, seed, dataFormat } = this;
    return { ...super.getConfig(), factor, valueRange, seed, dataFormat };
  }
}

/** Maps values from the range `from` to the range `to`. */
export function rescaled(images: Tensor, from: Bounds, to: Bounds): Tensor {
  if (from[0] === to[0] && from[1] === to[1]) return images;
  const shares = mul(sub(images, from[0]), 1 / (from[1] - from[0]));
  return add(mul(shares, to[1] - to[0]), to[0]);
}
