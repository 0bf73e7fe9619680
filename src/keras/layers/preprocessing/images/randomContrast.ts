/** @file RandomContrast: increases or reduces the contrast of images. */
import { add, mul, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { mean } from '../../../../ops/reductions/mean.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { type ColourOptions, colourTable, RandomColour } from './randomColour.ts';
import { factoryOf, layer } from '../../base/declare.ts';

export type RandomContrastOptions = ColourOptions;

export class RandomContrast extends /* @__PURE__ */ layer<RandomContrastOptions, RandomColour>(
  'RandomContrast',
  () => colourTable({ min: 0 }),
  RandomColour,
) {
  /** Returns the factor by which the distance of each image's values from their mean is multiplied. */
  override getRandomTransformation(images: Tensor): Tensor {
    const [lower, upper] = this.factor;
    return this.perImage(images, [1 - lower, 1 + upper]);
  }

  override transformImages(images: Tensor, factor: Tensor): Tensor {
    const means = mean(images, { axis: [1, 2], keepDims: true });
    return this.clipped(add(mul(sub(images, means), factor), means));
  }
}

/**
 * (x - mean) · contrast + mean for each image and channel, with a contrast from 1 - lower to 1 + upper for the bounds [lower,
 * upper] in `factor`; as in Keras, a single number means [0, factor]. Inputs are unchanged where `training` is false. Shapes:
 * [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomContrast = /* @__PURE__ */ factoryOf(RandomContrast, ['factor', 'valueRange', 'seed']);
