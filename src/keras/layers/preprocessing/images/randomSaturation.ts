/** @file RandomSaturation: makes colours paler or stronger. */
import { add, div, mul, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { hsvToRgb, rgbToHsv } from '../../../../ops/images/colours.ts';
import { concat } from '../../../../ops/arrangement/concat.ts';
import { split } from '../../../../ops/arrangement/split.ts';
import { epsilon } from '../../../epsilon.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { type ColourOptions, colourTable, RandomColour } from './randomColour.ts';
import { factoryOf, layer } from '../../base/declare.ts';

export type RandomSaturationOptions = ColourOptions;

export class RandomSaturation extends /* @__PURE__ */ layer<RandomSaturationOptions, RandomColour>(
  'RandomSaturation',
  () => colourTable({ min: -1 }),
  RandomColour,
) {
  /** Returns the factor of each image's saturation: f / (1 - f), for a sampled f. */
  override getRandomTransformation(images: Tensor): Tensor {
    const factor = super.getRandomTransformation(images);
    return div(factor, add(sub(1, factor), epsilon));
  }

  override transformImages(images: Tensor, scale: Tensor): Tensor {
    const [hue, saturation, value] = split(rgbToHsv(images), { numOrSizeSplits: 3, axis: -1 }) as Tensor[];
    const scaled = this.clipped(mul(saturation as Tensor, scale));
    return hsvToRgb(concat([hue as Tensor, scaled, value as Tensor], { axis: -1 }));
  }
}

/**
 * Multiplies the saturation of each image by f / (1 - f), with an f between the bounds of `factor`: 0 leaves greys, 0.5 keeps
 * the colours. As in Keras, a single number means [-factor, factor], and `valueRange` limits saturations. Inputs are
 * unchanged where `training` is false. Shapes: [batch, height, width, 3], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images of three channels.
 */
export const randomSaturation = /* @__PURE__ */ factoryOf(RandomSaturation, ['factor', 'valueRange', 'seed']);
