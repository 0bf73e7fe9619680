/** @file RandomFlip, RandomCrop: images mirrored and cut at random while training. */
import type { Positions } from '../../../core/options.ts';
import type { OptionNames } from '../../../core/options.ts';
import { oneOf, requireInteger } from '../../../core/shape.ts';
import { add } from '../../../ops/arithmetic.ts';
import { cast } from '../../../ops/cast.ts';
import { lessEqual } from '../../../ops/comparison.ts';
import { flip } from '../../../ops/flip.ts';
import { gather } from '../../../ops/gather.ts';
import { randomUniform } from '../../../ops/random.ts';
import { range } from '../../../ops/range.ts';
import { where } from '../../../ops/where.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { RandomImageLayer, type RandomImageOptions } from './imageLayer.ts';
import { smartlyResized } from './resizing.ts';

const flipModes = ['horizontal', 'vertical', 'horizontalAndVertical'] as const;

/** Options of `randomFlip`. */
export interface RandomFlipOptions extends RandomImageOptions {
  /** 'horizontal', 'vertical' or 'horizontalAndVertical'. Default 'horizontalAndVertical'. */
  mode?: (typeof flipModes)[number];
}

/** The layer of `randomFlip`, where shapes, weights and errors are described. */
export class RandomFlip extends RandomImageLayer<Tensor> {
  static override readonly className: string = 'RandomFlip';

  static override get optionNames(): OptionNames<RandomFlipOptions> {
    return { mode: true, seed: true, dataFormat: false, ...layerOptionNames };
  }

  readonly mode: (typeof flipModes)[number];

  constructor(options: RandomFlipOptions = {}) {
    super(options);
    this.mode = oneOf(this.name, 'mode', options.mode ?? 'horizontalAndVertical', flipModes);
  }

  /** Which images are mirrored, bool [batch, 1, 1, 1]. */
  override getRandomTransformation(images: Tensor): Tensor {
    const draw = randomUniform([images.shape[0] as number, 1, 1, 1], { seed: this.seeds?.draw() });
    return lessEqual(draw, 0.5);
  }

  override transformImages(images: Tensor, flips: Tensor): Tensor {
    const { mode } = this;
    const axis = { horizontal: [2], vertical: [1], horizontalAndVertical: [1, 2] }[mode];
    return where(flips, flip(images, { axis }), images);
  }

  override getConfig(): Record<string, unknown> {
    const { mode, seed, dataFormat } = this;
    return { ...super.getConfig(), mode, seed, dataFormat };
  }
}

/** Options of `randomCrop`. */
export interface RandomCropOptions extends RandomImageOptions {
  /** Rows of the result. */
  height: number;
  /** Columns of the result. */
  width: number;
}

/** The first row and column of a cut, int32 [1] each; null where the images are no larger than the result. */
type Corner = readonly [row: Tensor, column: Tensor] | null;

/** The layer of `randomCrop`, where shapes, weights and errors are described. */
export class RandomCrop extends RandomImageLayer<Corner> {
  static override readonly className: string = 'RandomCrop';

  static override get optionNames(): OptionNames<RandomCropOptions> {
    return { height: true, width: true, seed: true, dataFormat: false, ...layerOptionNames };
  }

  readonly height: number;
  readonly width: number;

  constructor(options: RandomCropOptions) {
    super(options);
    const { height, width } = options;
    requireInteger(this.name, 'height', height, 1);
    requireInteger(this.name, 'width', width, 1);
    this.height = height;
    this.width = width;
  }

  /** One corner for the whole batch. */
  override getRandomTransformation(images: Tensor): Corner {
    const rows = (images.shape[1] as number) - this.height;
    const columns = (images.shape[2] as number) - this.width;
    if (rows <= 0 || columns <= 0) return null;
    return [this.#drawBelow(rows + 1), this.#drawBelow(columns + 1)];
  }

  override transformImages(images: Tensor, corner: Corner): Tensor {
    if (!corner) return smartlyResized(images, this);
    const from = (x: Tensor, axis: number, start: Tensor, count: number) =>
      gather(x, add(range(0, count, 1, { dtype: 'int32' }), start), { axis });
    return from(from(images, 1, corner[0], this.height), 2, corner[1], this.width);
  }

  protected override unchanged(images: Tensor): Tensor {
    return smartlyResized(images, this);
  }

  protected override sizeOf(): readonly number[] {
    return [this.height, this.width];
  }

  override getConfig(): Record<string, unknown> {
    const { height, width, seed, dataFormat } = this;
    return { ...super.getConfig(), height, width, seed, dataFormat };
  }

  #drawBelow(bound: number): Tensor {
    return cast(randomUniform([1], { min: 0, max: bound, seed: this.seeds?.draw() }), 'int32');
  }
}

/**
 * While training, each image mirrored or not, by chance; what it is given otherwise. Shapes: [batch, height, width, channels],
 * or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for what are no images.
 */
export function randomFlip(options?: RandomFlipOptions): RandomFlip;
export function randomFlip(...settings: Positions<RandomFlipOptions, ['mode', 'seed']>): RandomFlip;
export function randomFlip(...args: unknown[]): RandomFlip {
  return make(RandomFlip, args);
}

/**
 * While training, `height` × `width` pixels at a random place, the same for the batch; otherwise, and of images that are not
 * larger, the largest part in the middle that has that ratio, resized. Shapes: [batch, rows, columns, channels] → [batch,
 * height, width, channels], or without a batch. float32.
 * Errors: ValueError for invalid options; ShapeError for what are no images.
 */
export function randomCrop(options: RandomCropOptions): RandomCrop;
export function randomCrop(
  ...settings: Positions<RandomCropOptions, ['height', 'width', 'seed']>
): RandomCrop;
export function randomCrop(...args: unknown[]): RandomCrop {
  return make(RandomCrop, args);
}
