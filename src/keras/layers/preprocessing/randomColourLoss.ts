/** @file RandomInvert, RandomColorDegeneration: images whose colours are inverted or fade. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { add, mul, sub } from '../../../ops/arithmetic.ts';
import { rgbToGrayscale } from '../../../ops/colours.ts';
import { less } from '../../../ops/comparison.ts';
import { where } from '../../../ops/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { make } from '../base/layerOptions.ts';
import { type ColourOptions, colourOptionNames, RandomColour } from './randomColour.ts';

/** Options of `randomInvert`. */
export interface RandomInvertOptions extends Omit<ColourOptions, 'factor'> {
  /** The probability of an inversion, or the bounds between which it is drawn; a number stands for [0, factor]. Default 1. */
  factor?: number | readonly [number, number];
}

/** The layer of `randomInvert`, where shapes, weights and errors are described. */
export class RandomInvert extends RandomColour {
  static override readonly className: string = 'RandomInvert';

  static override get optionNames(): OptionNames<RandomInvertOptions> {
    return colourOptionNames;
  }

  constructor(options: RandomInvertOptions = {}) {
    super({ ...options, factor: options.factor ?? 1 }, 0);
  }

  /** Which images are inverted, bool [batch, 1, 1, 1]. */
  override getRandomTransformation(images: Tensor): Tensor {
    const probability = this.uniform(images, ...this.factor);
    return less(this.uniform(images, 0, 1), probability);
  }

  override transformImages(images: Tensor, inverted: Tensor): Tensor {
    return where(inverted, sub(this.valueRange[1], images), images);
  }
}

/** Options of `randomColorDegeneration`. */
export type RandomColorDegenerationOptions = ColourOptions;

/** The layer of `randomColorDegeneration`, where shapes, weights and errors are described. */
export class RandomColorDegeneration extends RandomColour {
  static override readonly className: string = 'RandomColorDegeneration';

  static override get optionNames(): OptionNames<RandomColorDegenerationOptions> {
    return colourOptionNames;
  }

  constructor(options: RandomColorDegenerationOptions) {
    super(options, 0);
  }

  /** How far each image goes from its colours, 0, to its luma, 1. */
  override getRandomTransformation(images: Tensor): Tensor {
    return this.uniform(images, ...this.factor);
  }

  override transformImages(images: Tensor, factor: Tensor): Tensor {
    return this.clipped(add(images, mul(factor, sub(rgbToGrayscale(images), images))));
  }
}

/**
 * Each image inverted or not, by chance: the largest value of `valueRange` minus the image. What it is given where `training` is
 * false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for what are no images.
 */
export function randomInvert(options?: RandomInvertOptions): RandomInvert;
export function randomInvert(
  ...settings: Positions<RandomInvertOptions, ['factor', 'valueRange', 'seed']>
): RandomInvert;
export function randomInvert(...args: unknown[]): RandomInvert {
  return make(RandomInvert, args);
}

/**
 * image + factor · (luma - image), with a factor between the bounds of `factor`: 0 keeps the colours, 1 leaves greys. As in Keras, one
 * number stands for [0, factor]. What it is given where `training` is false. Shapes: [batch, height, width, 3], or without a batch,
 * as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for what are no images of three channels.
 */
export function randomColorDegeneration(options: RandomColorDegenerationOptions): RandomColorDegeneration;
export function randomColorDegeneration(
  ...settings: Positions<RandomColorDegenerationOptions, ['factor', 'valueRange', 'seed']>
): RandomColorDegeneration;
export function randomColorDegeneration(...args: unknown[]): RandomColorDegeneration {
  return make(RandomColorDegeneration, args);
}
