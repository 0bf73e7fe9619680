/** @file RandomCrop: crops images at random. */
import type { OptionNames } from '../../../../core/options.ts';
import { add } from '../../../../ops/arithmetic.ts';
import { cast } from '../../../../ops/cast.ts';
import { gather } from '../../../../ops/gather.ts';
import { range } from '../../../../ops/range.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { layerOptionNames } from '../../base/layerOptions.ts';
import { asImages, RandomImageLayer, type RandomImageOptions } from './imageLayer.ts';
import { sizeOption } from './imageOptions.ts';
import { smartlyResized } from './ratio.ts';
import { factoryOf } from '../../../options/factory.ts';

/** Options of `randomCrop`. */
export interface RandomCropOptions extends RandomImageOptions {
  /** Rows of the result. */
  height: number;
  /** Columns of the result. */
  width: number;
}

/** The first row and column of a crop, int32 [1] each; null where the images are no larger than the result. */
type Corner = readonly [row: Tensor, column: Tensor] | null;

/** The class of layers created by `randomCrop`, which documents shapes, weights and errors. */
export class RandomCrop extends RandomImageLayer<Corner> {
  static override readonly className: string = 'RandomCrop';

  static get knownOptions(): readonly string[] {
    return Object.keys({
      height: true,
      width: true,
      seed: true,
      dataFormat: false,
      ...layerOptionNames,
    } satisfies OptionNames<RandomCropOptions>);
  }

  readonly height: number;
  readonly width: number;

  constructor(options: RandomCropOptions) {
    super(options);
    const { height, width } = sizeOption(this.name, options);
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

  override transformSegmentationMasks(masks: Tensor, corner: Corner): Tensor {
    return asImages(masks, (x) => this.transformImages(x, corner));
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
    return cast(this.uniform([1], [0, bound]), 'int32');
  }
}

/**
 * Crops images to `height` × `width` pixels at a random place, the same for the whole batch. Where `training` is false, and
 * for images that are not larger, the largest part in the middle with that aspect ratio is resized instead. Shapes: [batch,
 * rows, columns, channels] → [batch, height, width, channels], or without a batch. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomCrop = /* @__PURE__ */ factoryOf(RandomCrop, ['height', 'width', 'seed']);
