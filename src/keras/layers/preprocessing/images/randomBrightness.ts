/** @file RandomBrightness: makes images lighter or darker. */
import { add, mul } from '../../../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { type ColourOptions, colourTable, RandomColour } from './randomColour.ts';
import { factoryOf, layer } from '../../base/declare.ts';

export type RandomBrightnessOptions = ColourOptions;

export class RandomBrightness extends /* @__PURE__ */ layer<RandomBrightnessOptions, RandomColour>(
  'RandomBrightness',
  () => colourTable({ min: -1 }),
  RandomColour,
) {
  /** Returns the number that is added to each image. */
  override getRandomTransformation(images: Tensor): Tensor {
    const [min, max] = this.valueRange;
    return mul(super.getRandomTransformation(images), max - min);
  }

  override transformImages(images: Tensor, delta: Tensor): Tensor {
    return this.clipped(add(images, delta));
  }
}

/**
 * Adds a number to each image, sampled between the bounds of `factor`, times the length of `valueRange`. Inputs are unchanged
 * where `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomBrightness = /* @__PURE__ */ factoryOf(RandomBrightness, ['factor', 'valueRange', 'seed']);
