/** @file The base of layers that apply random affine maps to images. */
import type { OptionNames } from '../../../../core/options.ts';
import { oneOf, requireFinite } from '../../../../core/shape.ts';
import { concat } from '../../../../ops/concat.ts';
import { fill } from '../../../../ops/creation.ts';
import { transformImages } from '../../../../ops/transformImages.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { layerOptionNames } from '../../base/layerOptions.ts';
import { asImages, RandomImageLayer, type RandomImageOptions } from './imageLayer.ts';
import type { Bounds } from './imageOptions.ts';

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

export const affineOptionNames: OptionNames<AffineOptions> = {
  fillMode: true,
  interpolation: true,
  seed: true,
  fillValue: true,
  dataFormat: false,
  ...layerOptionNames,
};

const fillModes = ['reflect', 'constant', 'nearest', 'wrap'] as const;

/** The sampled transformation is a map for each image, [batch, 8]: see transformImages. */
export abstract class RandomAffine extends RandomImageLayer<Tensor> {
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

  override transformSegmentationMasks(masks: Tensor, transforms: Tensor): Tensor {
    const { fillMode, fillValue } = this;
    const options = { fillMode, interpolation: 'nearest', fillValue } as const;
    return asImages(masks, (x) => transformImages(x, transforms, options));
  }

  /** Returns a number for each image, [batch, 1]. */
  protected column({ shape: [batch] }: Tensor, bounds: Bounds): Tensor {
    return this.uniform([batch as number, 1], bounds);
  }

  protected get affineConfig(): Record<string, unknown> {
    const { fillMode, interpolation, seed, fillValue, dataFormat } = this;
    return { fillMode, interpolation, seed, fillValue, dataFormat };
  }
}

/** Maps [[a0, a1, a2], [b0, b1, b2]] from columns [batch, 1]; a number applies to all images. */
export function maps(entries: readonly (Tensor | number)[], like: Tensor): Tensor {
  const column = (entry: Tensor | number) => (typeof entry === 'number' ? fill(like.shape, entry) : entry);
  return concat([...entries.map(column), fill([like.shape[0] as number, 2], 0)], { axis: 1 });
}
