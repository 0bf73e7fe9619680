/** @file RandomHue: shifts the hues of images. */
import { add, mul, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { hsvToRgb, rgbToHsv } from '../../../../ops/images/colours.ts';
import { greater, less } from '../../../../ops/elementwise/comparison.ts';
import { concat } from '../../../../ops/arrangement/concat.ts';
import { clip } from '../../../../ops/elementwise/clip.ts';
import { split } from '../../../../ops/arrangement/split.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { type ColourOptions, colourTable, RandomColour, rescaled } from './randomColour.ts';
import { factoryOf, layer } from '../../base/declare.ts';

export type RandomHueOptions = ColourOptions;

export class RandomHue extends /* @__PURE__ */ layer<RandomHueOptions, RandomColour>(
  'RandomHue',
  () => colourTable({ min: 0 }),
  RandomColour,
) {
  /** Returns the rotation of each image's hues in full circles, from -0.5 to 0.5. */
  override getRandomTransformation(images: Tensor): Tensor {
    const direction = where(greater(this.perImage(images), 0.5), -0.5, 0.5);
    return mul(direction, super.getRandomTransformation(images));
  }

  override transformImages(images: Tensor, shift: Tensor): Tensor {
    const hsv = rgbToHsv(rescaled(images, this.valueRange, [0, 1]));
    const [hue, others] = split(hsv, { numOrSizeSplits: [1, 2], axis: -1 }) as [Tensor, Tensor];
    const shifted = add(hue, shift);
    const below = where(greater(shifted, 1), sub(shifted, 1), shifted);
    const inside = where(less(below, 0), add(below, 1), below);
    const rgb = hsvToRgb(concat([inside, others], { axis: -1 }));
    return rescaled(clip(rgb, { min: 0, max: 1 }), [0, 1], this.valueRange);
  }
}

/**
 * Rotates the hues of each image by factor / 2 of the colour circle, in a random direction, with a factor between the bounds
 * of `factor`; as in Keras, a single number means [0, factor]. Inputs are unchanged where `training` is false. Shapes:
 * [batch, height, width, 3], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images of three channels.
 */
export const randomHue = /* @__PURE__ */ factoryOf(RandomHue, ['factor', 'valueRange', 'seed']);
