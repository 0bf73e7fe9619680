/** @file AutoContrast: stretches the values of images to their full range. */
import type { OptionNames } from '../../../../core/options.ts';
import { div, sub } from '../../../../ops/arithmetic.ts';
import { greater } from '../../../../ops/comparison.ts';
import { max, min } from '../../../../ops/extrema.ts';
import { where } from '../../../../ops/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { layerOptionNames } from '../../base/layerOptions.ts';
import { asFloats, type ImageChanges, ImageLayer, type ImageLayerOptions } from './imageLayer.ts';
import { type Bounds, valueRangeOf } from './imageOptions.ts';
import { rescaled } from './randomColour.ts';
import { factoryOf } from '../../../options/factory.ts';

/** Options of `autoContrast`. */
export interface AutoContrastOptions extends ImageLayerOptions {
  /** The smallest and the largest value of a pixel. Default [0, 255]. */
  valueRange?: Bounds;
}

/** The class of layers created by `autoContrast`, which documents shapes, weights and errors. */
export class AutoContrast extends ImageLayer {
  static override readonly className: string = 'AutoContrast';

  static get knownOptions(): readonly string[] {
    return Object.keys({
      valueRange: true,
      dataFormat: false,
      ...layerOptionNames,
    } satisfies OptionNames<AutoContrastOptions>);
  }

  readonly valueRange: Bounds;

  constructor(options: AutoContrastOptions = {}) {
    super(options);
    this.valueRange = valueRangeOf(this.name, options.valueRange);
  }

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

  override getConfig(): Record<string, unknown> {
    const { valueRange, dataFormat } = this;
    return { ...super.getConfig(), valueRange, dataFormat };
  }
}

/**
 * Stretches each channel of each image so that its smallest and largest values are those of `valueRange`. A channel of one value
 * is unchanged. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const autoContrast = /* @__PURE__ */ factoryOf(AutoContrast, ['valueRange']);
