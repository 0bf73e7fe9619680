/** @file RandomCrop: crops images at random. */
import { add } from '../../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../../ops/elementwise/cast.ts';
import { gather } from '../../../../ops/indexing/gather.ts';
import { range } from '../../../../ops/creation/range.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { asImages, RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { smartlyResized } from './ratio.ts';
import { factoryOf, integer, layer } from '../../base/declare.ts';

export interface RandomCropOptions extends RandomImageOptions {
  /** Rows of the result. */
  height: number;
  /** Columns of the result. */
  width: number;
}

/** The first row and column of a crop, int32 [1] each; null where the images are no larger than the result. */
type Corner = readonly [row: Tensor, column: Tensor] | null;

export class RandomCrop extends /* @__PURE__ */ layer<RandomCropOptions, RandomImageLayer<Corner>>(
  'RandomCrop',
  () => ({ height: integer(), width: integer(), ...randomTable() }),
  RandomImageLayer,
) {
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
