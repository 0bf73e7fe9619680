/** @file The base of layers that apply random affine maps to images. */
import { concat } from '../../../../ops/arrangement/concat.ts';
import { fill } from '../../../../ops/creation/creation.ts';
import { transformImages } from '../../../../ops/images/transformImages.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { asImages, RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { betweenPixels, type Bounds } from './imageOptions.ts';
import { number, oneOf } from '../../base/declare.ts';

export interface AffineOptions extends RandomImageOptions {
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
export const affineTable = () => ({
  fillMode: oneOf(fillModes, 'reflect'),
  interpolation: betweenPixels(),
  fillValue: number({ default: 0 }),
  ...randomTable(),
});

/** The sampled transformation is a map for each image, [batch, 8]: see transformImages. */
export abstract class RandomAffine extends RandomImageLayer<Tensor> {
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
export function maps(entries: readonly (Tensor | number)[], like: Tensor): Tensor {
  const column = (entry: Tensor | number) => (typeof entry === 'number' ? fill(like.shape, entry) : entry);
  return concat([...entries.map(column), fill([like.shape[0] as number, 2], 0)], { axis: 1 });
}
