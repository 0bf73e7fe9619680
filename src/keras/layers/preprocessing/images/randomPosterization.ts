/** @file RandomPosterization: reduces the number of shades of images. */
import { requireInteger } from '../../../../core/shape.ts';
import { sub } from '../../../../ops/elementwise/arithmetic.ts';
import { leftShift, rightShift } from '../../../../ops/elementwise/bitwise.ts';
import { cast } from '../../../../ops/elementwise/cast.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { type ColourOptions, colourTable, RandomColour, rescaled } from './randomColour.ts';
import { factoryOf, layer } from '../../base/declare.ts';

export type RandomPosterizationOptions = ColourOptions;

export class RandomPosterization extends /* @__PURE__ */ layer<RandomPosterizationOptions, RandomColour>(
  'RandomPosterization',
  () => colourTable({ min: 1, max: 8 }),
  RandomColour,
) {
  constructor(options: RandomPosterizationOptions) {
    super(options);
    for (const bits of this.factor) requireInteger(this.name, 'factor', bits, 1);
  }

  /** Returns how many low bits of each image are cleared, int32 [batch, 1, 1, 1]. */
  override getRandomTransformation(images: Tensor): Tensor {
    return sub(8, cast(super.getRandomTransformation(images), 'int32'));
  }

  override transformImages(images: Tensor, cleared: Tensor): Tensor {
    const bytes = cast(rescaled(images, this.valueRange, [0, 255]), 'int32');
    const kept = leftShift(rightShift(bytes, cleared), cleared);
    return rescaled(cast(kept, 'float32'), [0, 255], this.valueRange);
  }
}

/**
 * Reduces the shades of each image: of 8-bit values, only the highest bits are kept. Their number is sampled from [lower,
 * upper) of `factor`, integers from 1 to 8; as in Keras, a single number means [1, factor]. Inputs are unchanged where
 * `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomPosterization = /* @__PURE__ */ factoryOf(RandomPosterization, [
  'factor',
  'valueRange',
  'seed',
]);
