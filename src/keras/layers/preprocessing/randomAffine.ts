/** @file RandomRotation, RandomTranslation, RandomZoom: images under affine maps that are drawn. */
import { ValueError } from '../../../core/errors.ts';
import type { OptionNames } from '../../../core/options.ts';
import { describe, oneOf, requireFinite } from '../../../core/shape.ts';
import { add, mul, neg, sub } from '../../../ops/arithmetic.ts';
import { concat } from '../../../ops/concat.ts';
import { fill } from '../../../ops/creation.ts';
import { randomUniform } from '../../../ops/random.ts';
import { transformImages } from '../../../ops/transformImages.ts';
import { cos, sin } from '../../../ops/trigonometric.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { RandomImageLayer, type RandomImageOptions } from './imageLayer.ts';

/** What is drawn lies between a pair of bounds; a number stands for those from minus it to it. */
type Factor = number | readonly [number, number];

interface AffineOptions extends RandomImageOptions {
  /**
   * What lies outside of an image: its mirror image ('reflect', default), `fillValue`, the nearest pixel, or the image
   * again.
   */
  fillMode?: 'reflect' | 'constant' | 'nearest' | 'wrap';
  /** Default 'bilinear'. */
  interpolation?: 'bilinear' | 'nearest';
  /** Default 0. */
  fillValue?: number;
}

/** Options of `randomRotation`. */
export interface RandomRotationOptions extends AffineOptions {
  /** In whole turns, from -1 to 1; positive ones are counter-clockwise. */
  factor: Factor;
}

/** Options of `randomTranslation`. */
export interface RandomTranslationOptions extends AffineOptions {
  /** In heights of an image, from -1 to 1; positive ones go down. */
  heightFactor: Factor;
  /** In widths of an image, from -1 to 1; positive ones go right. */
  widthFactor: Factor;
}

/** Options of `randomZoom`. */
export interface RandomZoomOptions extends AffineOptions {
  /** Above -1, up to 1: what is seen is as many heights more or less. Positive ones zoom out. */
  heightFactor: Factor;
  /** As `heightFactor`, for the width. Default null: what is drawn for the height. */
  widthFactor?: Factor | null;
}

const affineOptionNames: OptionNames<AffineOptions> = {
  fillMode: true,
  interpolation: true,
  seed: true,
  fillValue: true,
  dataFormat: false,
  ...layerOptionNames,
};

const fillModes = ['reflect', 'constant', 'nearest', 'wrap'] as const;

/** The transformation is a map for each image, [batch, 8]: see transformImages. */
abstract class RandomAffine extends RandomImageLayer<Tensor> {
  readonly fillMode: (typeof fillModes)[number];
  readonly interpolation: 'bilinear' | 'nearest';
  readonly fillValue: number;

  constructor(options: AffineOptions) {
    super(options);
    const { fillMode = 'reflect', interpolation = 'bilinear', fillValue = 0 } = options;
    this.fillMode = oneOf(this.name, 'fillMode', fillMode, fillModes);
    this.interpolation = oneOf(this.name, 'interpolation', interpolation, ['bilinear', 'nearest'] as const);
    requireFinite(this.name, 'fillValue', fillValue);
    this.fillValue = fillValue;
  }

  override transformImages(images: Tensor, transforms: Tensor): Tensor {
    const { fillMode, interpolation, fillValue } = this;
    return transformImages(images, transforms, { fillMode, interpolation, fillValue });
  }

  /** A number for each image, [batch, 1]. */
  protected uniform({ shape: [batch] }: Tensor, [min, max]: readonly [number, number]): Tensor {
    const shape = [batch as number, 1];
    return min < max ? randomUniform(shape, { min, max, seed: this.seeds?.draw() }) : fill(shape, min);
  }

  protected get affineConfig(): Record<string, unknown> {
    const { fillMode, interpolation, seed, fillValue, dataFormat } = this;
    return { fillMode, interpolation, seed, fillValue, dataFormat };
  }
}

/** Maps [[a0, a1, a2], [b0, b1, b2]] of columns [batch, 1]; numbers are the same for all images. */
function maps(entries: readonly (Tensor | number)[], like: Tensor): Tensor {
  const column = (entry: Tensor | number) => (typeof entry === 'number' ? fill(like.shape, entry) : entry);
  return concat([...entries.map(column), fill([like.shape[0] as number, 2], 0)], { axis: 1 });
}

/** The layer of `randomRotation`, where shapes, weights and errors are described. */
export class RandomRotation extends RandomAffine {
  static override readonly className: string = 'RandomRotation';

  static override get optionNames(): OptionNames<RandomRotationOptions> {
    return { factor: true, ...affineOptionNames };
  }

  readonly factor: readonly [number, number];

  constructor(options: RandomRotationOptions) {
    super(options);
    this.factor = boundsOf(this.name, 'factor', options.factor, -1);
  }

  override getRandomTransformation(images: Tensor): Tensor {
    const [, height, width] = images.shape as [number, number, number];
    const angle = mul(this.uniform(images, this.factor), 2 * Math.PI);
    const [x, y] = [(width - 1) / 2, (height - 1) / 2];
    const [c, s] = [cos(angle), sin(angle)];
    // The centre stays where it is.
    const across = sub(x, sub(mul(c, x), mul(s, y)));
    const down = sub(y, add(mul(s, x), mul(c, y)));
    return maps([c, neg(s), across, s, c, down], angle);
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), factor: this.factor, ...this.affineConfig };
  }
}

/** The layer of `randomTranslation`, where shapes, weights and errors are described. */
export class RandomTranslation extends RandomAffine {
  static override readonly className: string = 'RandomTranslation';

  static override get optionNames(): OptionNames<RandomTranslationOptions> {
    return { heightFactor: true, widthFactor: true, ...affineOptionNames };
  }

  readonly heightFactor: Factor;
  readonly widthFactor: Factor;

  constructor(options: RandomTranslationOptions) {
    super(options);
    this.heightFactor = options.heightFactor;
    this.widthFactor = options.widthFactor;
    boundsOf(this.name, 'heightFactor', this.heightFactor, -1);
    boundsOf(this.name, 'widthFactor', this.widthFactor, -1);
  }

  override getRandomTransformation(images: Tensor): Tensor {
    const [, height, width] = images.shape as [number, number, number];
    const drawn = (what: 'heightFactor' | 'widthFactor') =>
      this.uniform(images, boundsOf(this.name, what, this[what], -1));
    const down = mul(drawn('heightFactor'), -height);
    const across = mul(drawn('widthFactor'), -width);
    return maps([1, 0, across, 0, 1, down], down);
  }

  override getConfig(): Record<string, unknown> {
    const { heightFactor, widthFactor } = this;
    return { ...super.getConfig(), heightFactor, widthFactor, ...this.affineConfig };
  }
}

/** The layer of `randomZoom`, where shapes, weights and errors are described. */
export class RandomZoom extends RandomAffine {
  static override readonly className: string = 'RandomZoom';

  static override get optionNames(): OptionNames<RandomZoomOptions> {
    return { heightFactor: true, widthFactor: true, ...affineOptionNames };
  }

  readonly heightFactor: Factor;
  readonly widthFactor: Factor | null;

  constructor(options: RandomZoomOptions) {
    super(options);
    this.heightFactor = options.heightFactor;
    this.widthFactor = options.widthFactor ?? null;
    boundsOf(this.name, 'heightFactor', this.heightFactor, aboveMinusOne);
    if (this.widthFactor !== null) boundsOf(this.name, 'widthFactor', this.widthFactor, aboveMinusOne);
  }

  override getRandomTransformation(images: Tensor): Tensor {
    const { heightFactor, widthFactor, name } = this;
    const [, height, width] = images.shape as [number, number, number];
    const drawn = (what: string, factor: Factor) =>
      add(this.uniform(images, boundsOf(name, what, factor, aboveMinusOne)), 1);
    const down = drawn('heightFactor', heightFactor);
    const across = widthFactor === null ? down : drawn('widthFactor', widthFactor);
    // The centre stays where it is.
    const offset = (zoom: Tensor, size: number) => mul(sub(1, zoom), (size - 1) / 2);
    return maps([across, 0, offset(across, width), 0, down, offset(down, height)], down);
  }

  override getConfig(): Record<string, unknown> {
    const { heightFactor, widthFactor } = this;
    return { ...super.getConfig(), heightFactor, widthFactor, ...this.affineConfig };
  }
}

/** What would see nothing of an image is excluded. */
const aboveMinusOne = -1 + 2 ** -52;

/** The bounds in ascending order. */
function boundsOf(op: string, what: string, given: unknown, least: number): readonly [number, number] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const fits = list.every((n) => typeof n === 'number' && n >= least && n <= 1);
  if (fits && list.length === 2) return (list as number[]).toSorted((a, b) => a - b) as [number, number];
  if (fits && list.length === 1) {
    const size = Math.abs(list[0] as number);
    return [-size, size];
  }
  throw new ValueError({
    op,
    rule: `\`${what}\` is a number ${least === -1 ? 'from' : 'above'} -1 to 1, or a pair of them.`,
    received: `${what}: ${describe(given)}`,
    hint: 'pass 0.2.',
  });
}

/**
 * Each image rotated around its centre, by an angle between the bounds of `factor`, in whole turns; what it is given where
 * `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for what are no images.
 */
export function randomRotation(options: RandomRotationOptions): RandomRotation;
export function randomRotation(...args: unknown[]): RandomRotation {
  return make(RandomRotation, args);
}

/**
 * Each image moved by fractions of its height and width between the bounds of the factors; what it is given where `training`
 * is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for what are no images.
 */
export function randomTranslation(options: RandomTranslationOptions): RandomTranslation;
export function randomTranslation(...args: unknown[]): RandomTranslation {
  return make(RandomTranslation, args);
}

/**
 * Each image zoomed around its centre: 1 + a factor between the bounds of its heights are seen. What it is given where
 * `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for what are no images.
 */
export function randomZoom(options: RandomZoomOptions): RandomZoom;
export function randomZoom(...args: unknown[]): RandomZoom {
  return make(RandomZoom, args);
}
