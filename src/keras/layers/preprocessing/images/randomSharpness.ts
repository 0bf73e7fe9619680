/** @file RandomSharpness: blurs or sharpens images. */
import { add, mul, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { depthwiseConv2d } from '../../../../ops/convolution/depthwiseConv2d.ts';
import { tensor } from '../../../../tensor/create.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { type ColourOptions, colourTable, RandomColour } from './randomColour.ts';
import { factoryOf, layer } from '../../base/declare.ts';

export type RandomSharpnessOptions = ColourOptions;

export class RandomSharpness extends /* @__PURE__ */ layer<RandomSharpnessOptions, RandomColour>(
  'RandomSharpness',
  () => colourTable({ min: 0 }),
  RandomColour,
) {
  /** `factor` is 0 for a blurred image, 0.5 for the image itself, 1 for a sharpened one. */
  override transformImages(images: Tensor, factor: Tensor): Tensor {
    const smoothed = depthwiseConv2d(images, smoothing(images.shape[3] as number), { padding: 'same' });
    const share = sub(1, mul(factor, 2));
    return this.clipped(add(images, mul(share, sub(smoothed, images))));
  }
}

/**
 * Returns the weights of the mean of a pixel and its neighbours, where the pixel itself counts five times. Shape [3, 3,
 * channels, 1].
 */
function smoothing(channels: number): Tensor {
  const weights = Float32Array.from({ length: 9 * channels }, (_, i) =>
    Math.floor(i / channels) === 4 ? 5 / 13 : 1 / 13,
  );
  return tensor(weights, { shape: [3, 3, channels, 1] });
}

/**
 * Moves each image towards its blurred version, or away from it: image + (1 - 2f) · (blur - image), with an f between the
 * bounds of `factor`: 0 blurs, 0.5 keeps, 1 sharpens. As in Keras, a single number means [0, factor]. Inputs are unchanged
 * where `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomSharpness = /* @__PURE__ */ factoryOf(RandomSharpness, ['factor', 'valueRange', 'seed']);
