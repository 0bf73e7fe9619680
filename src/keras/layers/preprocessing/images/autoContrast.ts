/** @file AutoContrast: stretches the values of images to their full range. */
import { div, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { greater } from '../../../../ops/elementwise/comparison.ts';
import { max, min } from '../../../../ops/reductions/extrema.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { asFloats, type ImageChanges, ImageLayer, type ImageLayerOptions, imageTable } from './imageLayer.ts';
import { type Bounds, valueRange } from './imageOptions.ts';
import { rescaled } from './randomColour.ts';
import { factoryOf, layer } from '../../base/declare.ts';

export interface AutoContrastOptions extends ImageLayerOptions {
  /** The smallest and the largest value of a pixel. Default [0, 255]. */
  valueRange?: Bounds;
}

export class AutoContrast extends /* @__PURE__ */ layer<AutoContrastOptions, ImageLayer>(
  'AutoContrast',
  () => ({ valueRange: valueRange(), ...imageTable() }),
  ImageLayer,
) {
  /** Returns the images with each channel stretched to the whole range; a channel of one value is unchanged. */
  transformImages(images: Tensor): Tensor {
    const x = asFloats(images);
    const [low, high] = [min, max].map((extremum) => extremum(x, { axis: [1, 2], keepDims: true })) as [
      Tensor,
      Tensor,
    ];
    const isVaried = greater(high, low);
    const shares = div(sub(x, low), where(isVaried, sub(high, low), 1));
    return where(isVaried, rescaled(shares, [0, 1], this.valueRange), x);
  }

  protected override changes(): ImageChanges {
    return { images: (x) => this.transformImages(x) };
  }
}

/**
 * Stretches each channel of each image so that its smallest and largest values are those of `valueRange`. A channel of one value
 * is unchanged. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const autoContrast = /* @__PURE__ */ factoryOf(AutoContrast, ['valueRange']);
