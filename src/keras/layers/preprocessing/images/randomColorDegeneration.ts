/** @file RandomColorDegeneration: fades the colours of images. */
import { add, mul, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { rgbToGrayscale } from '../../../../ops/images/colours.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { type ColourOptions, colourTable, RandomColour } from './randomColour.ts';
import { factoryOf, layer } from '../../base/declare.ts';

export type RandomColorDegenerationOptions = ColourOptions;

export class RandomColorDegeneration extends /* @__PURE__ */ layer<
  RandomColorDegenerationOptions,
  RandomColour
>('RandomColorDegeneration', () => colourTable({ min: -1 }), RandomColour) {
  /** `factor` blends each image from its colours, 0, to its luma, 1. */
  override transformImages(images: Tensor, factor: Tensor): Tensor {
    return this.clipped(add(images, mul(factor, sub(rgbToGrayscale(images), images))));
  }
}

/**
 * image + factor · (luma - image), with a factor between the bounds of `factor`: 0 keeps the colours, 1 leaves greys, and
 * less than 0 strengthens colours. As in Keras, a single number means [-factor, factor]. Inputs are unchanged where `training`
 * is false. Shapes: [batch, height, width, 3], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images of three channels.
 */
export const randomColorDegeneration = /* @__PURE__ */ factoryOf(RandomColorDegeneration, [
  'factor',
  'valueRange',
  'seed',
]);
