/** @file CenterCrop: the middle of images. */
import type { Tensor } from '../../../../tensor/tensor.ts';
import {
  asFloats,
  asImages,
  type ImageChanges,
  ImageLayer,
  type ImageLayerOptions,
  imageTable,
} from './imageLayer.ts';
import { centered, sizeOf, smartlyResized } from './ratio.ts';
import { factoryOf, integer, layer } from '../../base/declare.ts';

export interface CenterCropOptions extends ImageLayerOptions {
  /** Rows of the result. */
  height: number;
  /** Columns of the result. */
  width: number;
}

export class CenterCrop extends /* @__PURE__ */ layer<CenterCropOptions, ImageLayer>(
  'CenterCrop',
  () => ({ height: integer(), width: integer(), ...imageTable() }),
  ImageLayer,
) {
  protected override changes(images: Tensor): ImageChanges {
    const given = sizeOf(images);
    const fits = given.height >= this.height && given.width >= this.width;
    const cut = (x: Tensor) => (fits ? centered(asFloats(x), this) : smartlyResized(x, this));
    return { images: cut, segmentationMasks: (x) => asImages(x, cut) };
  }

  protected override sizeOf(): readonly number[] {
    return [this.height, this.width];
  }
}

/**
 * The `height` × `width` pixels in the middle of images. A smaller image is cropped to that aspect ratio and resized. Shapes:
 * [batch, rows, columns, channels] → [batch, height, width, channels], or without a batch. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const centerCrop = /* @__PURE__ */ factoryOf(CenterCrop, ['height', 'width']);
