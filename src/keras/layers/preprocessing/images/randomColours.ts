/** @file Layers that change the colours of images by random factors. */
import { clip } from '../../../../ops/elementwise/clip.ts';
import { add, div, mul, sub } from '../../../../ops/elementwise/arithmetic.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { type Bounds, type Factor, factorOf, type FactorRange, valueRange } from './imageOptions.ts';
import { factoryOf, layer } from '../../base/declare.ts';
import { hsvToRgb, rgbToGrayscale, rgbToHsv } from '../../../../ops/images/colours.ts';
import { mean } from '../../../../ops/reductions/mean.ts';
import { greater, less } from '../../../../ops/elementwise/comparison.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import { fraction } from '../../base/randomOptions.ts';
import { concat, split } from '../../../../ops/arrangement/concat.ts';
import { requireInteger } from '../../../../core/shape.ts';
import { leftShift, rightShift } from '../../../../ops/elementwise/bitwise.ts';
import { cast } from '../../../../ops/elementwise/cast.ts';
import { epsilon } from '../../../epsilon.ts';
import { depthwiseConv2d } from '../../../../ops/convolution/depthwiseConv2d.ts';
import { tensor } from '../../../../tensor/create.ts';

interface ColourOptions extends RandomImageOptions {
  /** The bounds of the factor: a pair, or a number. */
  factor: Factor;
  /** The smallest and the largest value of a pixel; results are clipped to them. Default [0, 255]. */
  valueRange?: Bounds;
}

/** The table of these options. */
const colourTable = (range: FactorRange, fallback?: Factor) => ({
  factor: factorOf(range, fallback),
  valueRange: valueRange(),
  ...randomTable(),
});

/** Draws one number for each image, [batch, 1, 1, 1]. */
export abstract class RandomColour extends RandomImageLayer<Tensor> {
  declare readonly factor: Bounds;
  declare readonly valueRange: Bounds;

  /** Returns a number between the bounds of `factor` for each image. */
  override getRandomTransformation(images: Tensor): Tensor {
    return this.perImage(images, this.factor);
  }

  protected clipped(images: Tensor): Tensor {
    const [min, max] = this.valueRange;
    return clip(images, { min, max });
  }
}

/** Maps values from the range `from` to the range `to`. */
export function rescaled(images: Tensor, from: Bounds, to: Bounds): Tensor {
  if (from[0] === to[0] && from[1] === to[1]) return images;
  const shares = mul(sub(images, from[0]), 1 / (from[1] - from[0]));
  return add(mul(shares, to[1] - to[0]), to[0]);
}

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

export interface RandomGrayscaleOptions extends RandomImageOptions {
  /** The probability that an image loses its colours. Default 0.5. */
  factor?: number;
}

export class RandomGrayscale extends /* @__PURE__ */ layer<RandomGrayscaleOptions, RandomImageLayer<Tensor>>(
  'RandomGrayscale',
  () => ({ factor: fraction(0.5), ...randomTable() }),
  RandomImageLayer,
) {
  /** Returns which images lose their colours, bool [batch, 1, 1, 1]. */
  override getRandomTransformation(images: Tensor): Tensor {
    return less(this.perImage(images), this.factor);
  }

  override transformImages(images: Tensor, isGrey: Tensor): Tensor {
    return where(isGrey, rgbToGrayscale(images), images);
  }
}

/**
 * Replaces the colours of each image by its luma, with a probability of `factor`. Inputs are unchanged where `training` is
 * false. Shapes: [batch, height, width, 3], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images of three channels.
 */
export const randomGrayscale = /* @__PURE__ */ factoryOf(RandomGrayscale, ['factor']);

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
