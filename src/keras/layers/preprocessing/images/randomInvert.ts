/** @file RandomInvert: inverts the colours of randomly chosen images. */
import { sub } from '../../../../ops/elementwise/arithmetic.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { type ColourOptions, colourTable, RandomColour } from './randomColour.ts';
import { factoryOf, layer } from '../../base/declare.ts';

export interface RandomInvertOptions extends Omit<ColourOptions, 'factor'> {
  /** The probability of an inversion, or the bounds between which it is sampled; a number means [0, factor]. Default 1. */
  factor?: ColourOptions['factor'];
}

export class RandomInvert extends /* @__PURE__ */ layer<RandomInvertOptions, RandomColour>(
  'RandomInvert',
  () => colourTable({ min: 0 }, 1),
  RandomColour,
) {
  /** Returns which images are inverted, bool [batch, 1, 1, 1]. */
  override getRandomTransformation(images: Tensor): Tensor {
    return this.chosen(images, this.factor);
  }

  override transformImages(images: Tensor, inverted: Tensor): Tensor {
    return where(inverted, sub(this.valueRange[1], images), images);
  }
}

/**
 * Inverts randomly chosen images: the largest value of `valueRange` minus the image. Inputs are unchanged where
 * `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomInvert = /* @__PURE__ */ factoryOf(RandomInvert, ['factor', 'valueRange', 'seed']);
