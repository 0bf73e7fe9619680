/** @file Layers that move the pixels of images by random affine transforms. */
import { concat } from '../../../../ops/arrangement/concat.ts';
import { fill } from '../../../../ops/creation/creation.ts';
import { transformImages } from '../../../../ops/images/transformImages.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { asImages, RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { betweenPixels, type Bounds, boundsOf, type Factor, factorOf, givenFactor } from './imageOptions.ts';
import { checked, factoryOf, layer, number, oneOf } from '../../base/declare.ts';
import { greater, lessEqual } from '../../../../ops/elementwise/comparison.ts';
import { flip } from '../../../../ops/arrangement/flip.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import { add, mul, neg, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { cos, sin } from '../../../../ops/elementwise/trigonometric.ts';
import { isListOf } from '../../../../core/lists.ts';

interface AffineOptions extends RandomImageOptions {
  /**
   * How pixels outside of an image are filled: with its mirror image ('reflect', default), `fillValue`, the nearest pixel, or
   * the image repeated.
   */
  fillMode?: 'reflect' | 'constant' | 'nearest' | 'wrap';
  /** Default 'bilinear'. */
  interpolation?: 'bilinear' | 'nearest';
  /** Default 0. */
  fillValue?: number;
}

const fillModes = ['reflect', 'constant', 'nearest', 'wrap'] as const;

/** The table of these options. */
const affineTable = () => ({
  fillMode: oneOf(fillModes, 'reflect'),
  interpolation: betweenPixels(),
  fillValue: number({ default: 0 }),
  ...randomTable(),
});

/** The sampled transformation is a map for each image, [batch, 8]: see transformImages. */
abstract class RandomAffine extends RandomImageLayer<Tensor> {
  declare readonly fillMode: (typeof fillModes)[number];
  declare readonly interpolation: 'bilinear' | 'nearest';
  declare readonly fillValue: number;

  override transformImages(images: Tensor, transforms: Tensor): Tensor {
    const { fillMode, interpolation, fillValue } = this;
    return transformImages(images, transforms, { fillMode, interpolation, fillValue });
  }

  override transformSegmentationMasks(masks: Tensor, transforms: Tensor): Tensor {
    const { fillMode, fillValue } = this;
    const options = { fillMode, interpolation: 'nearest', fillValue } as const;
    return asImages(masks, (x) => transformImages(x, transforms, options));
  }

  /** Returns a number for each image, [batch, 1]. */
  protected column({ shape: [batch] }: Tensor, bounds: Bounds): Tensor {
    return this.uniform([batch as number, 1], bounds);
  }
}

/** Maps [[a0, a1, a2], [b0, b1, b2]] from columns [batch, 1]; a number applies to all images. */
function maps(entries: readonly (Tensor | number)[], like: Tensor): Tensor {
  const column = (entry: Tensor | number) => (typeof entry === 'number' ? fill(like.shape, entry) : entry);
  return concat([...entries.map(column), fill([like.shape[0] as number, 2], 0)], { axis: 1 });
}

const flipModes = ['horizontal', 'vertical', 'horizontalAndVertical'] as const;

export interface RandomFlipOptions extends RandomImageOptions {
  /** 'horizontal', 'vertical' or 'horizontalAndVertical'. Default 'horizontalAndVertical'. */
  mode?: (typeof flipModes)[number];
}

export class RandomFlip extends /* @__PURE__ */ layer<RandomFlipOptions, RandomImageLayer<Tensor>>(
  'RandomFlip',
  () => ({ mode: oneOf(flipModes, 'horizontalAndVertical'), ...randomTable() }),
  RandomImageLayer,
) {
  /** Returns which images are mirrored, bool [batch, 1, 1, 1]. */
  override getRandomTransformation(images: Tensor): Tensor {
    return lessEqual(this.perImage(images), 0.5);
  }

  override transformImages(images: Tensor, flips: Tensor): Tensor {
    const { mode } = this;
    const axis = { horizontal: [2], vertical: [1], horizontalAndVertical: [1, 2] }[mode];
    return where(flips, flip(images, { axis }), images);
  }

  override transformSegmentationMasks(masks: Tensor, flips: Tensor): Tensor {
    return this.transformImages(masks, flips);
  }
}

/**
 * Mirrors randomly chosen images. Inputs are unchanged where `training` is false. Shapes: [batch, height, width,
 * channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomFlip = /* @__PURE__ */ factoryOf(RandomFlip, ['mode', 'seed']);

export interface RandomRotationOptions extends AffineOptions {
  /** Bounds of the angle in whole turns, from -1 to 1; positive angles are counter-clockwise. */
  factor: Factor;
}

export class RandomRotation extends /* @__PURE__ */ layer<RandomRotationOptions, RandomAffine>(
  'RandomRotation',
  () => ({ factor: factorOf({ min: -1 }), ...affineTable() }),
  RandomAffine,
) {
  override getRandomTransformation(images: Tensor): Tensor {
    const [, height, width] = images.shape as [number, number, number];
    const angle = mul(this.column(images, this.factor), 2 * Math.PI);
    const [x, y] = [(width - 1) / 2, (height - 1) / 2];
    const [c, s] = [cos(angle), sin(angle)];
    // Keeps the centre fixed.
    const across = sub(x, sub(mul(c, x), mul(s, y)));
    const down = sub(y, add(mul(s, x), mul(c, y)));
    return maps([c, neg(s), across, s, c, down], angle);
  }
}

/**
 * Rotates each image around its centre, by an angle between the bounds of `factor`, in whole turns. Inputs are unchanged
 * where `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomRotation = /* @__PURE__ */ factoryOf(RandomRotation);

export interface RandomShearOptions extends AffineOptions {
  /** How many pixels each row is shifted against the one above, from 0 to 1; a number means [-factor, factor]. Default 0. */
  xFactor?: Factor;
  /** How many pixels each column is shifted against the one before, like `xFactor`. Default 0. */
  yFactor?: Factor;
}

const shearRange = { min: 0, single: (factor: number): Bounds => [-factor, factor] };

export class RandomShear extends /* @__PURE__ */ layer<RandomShearOptions, RandomAffine>(
  'RandomShear',
  () => ({ xFactor: checked(shearOf, 0), yFactor: checked(shearOf, 0), ...affineTable() }),
  RandomAffine,
) {
  override getRandomTransformation(images: Tensor): Tensor {
    const direction = where(greater(this.column(images, [0, 1]), 0.5), -1, 1);
    const down = mul(this.column(images, this.yFactor), direction);
    const across = mul(this.column(images, this.xFactor), direction);
    return maps([1, across, 0, down, 1, 0], across);
  }
}

/** As in Keras, a pair [-factor, factor] is accepted as well, since configurations contain the bounds that a number means. */
function shearOf(op: string, what: string, given: unknown): Bounds {
  const isNumber = (n: unknown): n is number => typeof n === 'number';
  const isPair = isListOf(given, isNumber, 2) && given.length === 2;
  if (isPair && (given[0] as number) === -(given[1] as number))
    return boundsOf(op, what, given[1], shearRange);
  return boundsOf(op, what, given, shearRange);
}

/**
 * Shears each image by factors between the bounds, in a random direction. Inputs are unchanged where `training` is false.
 * Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomShear = /* @__PURE__ */ factoryOf(RandomShear);

export interface RandomTranslationOptions extends AffineOptions {
  /** Bounds as fractions of the height, from -1 to 1; positive ones move down. */
  heightFactor: Factor;
  /** Bounds as fractions of the width, from -1 to 1; positive ones move right. */
  widthFactor: Factor;
}

const shiftRange = { min: -1 };

export class RandomTranslation extends /* @__PURE__ */ layer<RandomTranslationOptions, RandomAffine>(
  'RandomTranslation',
  () => ({ heightFactor: givenFactor(shiftRange), widthFactor: givenFactor(shiftRange), ...affineTable() }),
  RandomAffine,
) {
  override getRandomTransformation(images: Tensor): Tensor {
    const [, height, width] = images.shape as [number, number, number];
    const sampled = (what: 'heightFactor' | 'widthFactor') =>
      this.column(images, boundsOf(this.name, what, this[what], shiftRange));
    const down = mul(sampled('heightFactor'), -height);
    const across = mul(sampled('widthFactor'), -width);
    return maps([1, 0, across, 0, 1, down], down);
  }
}

/**
 * Moves each image by fractions of its height and width between the bounds of the factors. Inputs are unchanged where
 * `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomTranslation = /* @__PURE__ */ factoryOf(RandomTranslation);

export interface RandomZoomOptions extends AffineOptions {
  /**
   * Bounds, above -1 and up to 1, of the change of the visible height, as a fraction of the image's height. Positive ones
   * zoom out.
   */
  heightFactor: Factor;
  /** As `heightFactor`, for the width. Default null: the same as sampled for the height. */
  widthFactor?: Factor | null;
}

/** At -1, an image would vanish. */
const range = { min: -1, above: true };

export class RandomZoom extends /* @__PURE__ */ layer<RandomZoomOptions, RandomAffine>(
  'RandomZoom',
  () => ({ heightFactor: givenFactor(range), widthFactor: givenFactor(range, null), ...affineTable() }),
  RandomAffine,
) {
  override getRandomTransformation(images: Tensor): Tensor {
    const { heightFactor, widthFactor, name } = this;
    const [, height, width] = images.shape as [number, number, number];
    const sampled = (what: string, factor: Factor) =>
      add(this.column(images, boundsOf(name, what, factor, range)), 1);
    const down = sampled('heightFactor', heightFactor);
    const across = widthFactor === null ? down : sampled('widthFactor', widthFactor);
    // Keeps the centre fixed.
    const offset = (zoom: Tensor, size: number) => mul(sub(1, zoom), (size - 1) / 2);
    return maps([across, 0, offset(across, width), 0, down, offset(down, height)], down);
  }
}

/**
 * Zooms each image around its centre: the visible part is 1 + factor times its size, with a factor between the bounds. Inputs
 * are unchanged where `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input.
 * float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomZoom = /* @__PURE__ */ factoryOf(RandomZoom);
