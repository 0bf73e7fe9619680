/** @file RandomGrayscale: converts randomly chosen images to greyscale. */
import type { OptionNames } from '../../../../core/options.ts';
import { rgbToGrayscale } from '../../../../ops/colours.ts';
import { less } from '../../../../ops/comparison.ts';
import { where } from '../../../../ops/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { layerOptionNames } from '../../base/layerOptions.ts';
import { requireFraction } from '../../base/randomOptions.ts';
import { RandomImageLayer, type RandomImageOptions } from './imageLayer.ts';
import { factoryOf } from '../../../options/factory.ts';

/** Options of `randomGrayscale`. */
export interface RandomGrayscaleOptions extends RandomImageOptions {
  /** The probability that an image loses its colours. Default 0.5. */
  factor?: number;
}

/** The class of layers created by `randomGrayscale`, which documents shapes, weights and errors. */
export class RandomGrayscale extends RandomImageLayer<Tensor> {
  static override readonly className: string = 'RandomGrayscale';

  static get knownOptions(): readonly string[] {
    return Object.keys({
      factor: true,
      seed: false,
      dataFormat: false,
      ...layerOptionNames,
    } satisfies OptionNames<RandomGrayscaleOptions>);
  }

  readonly factor: number;

  constructor(options: RandomGrayscaleOptions = {}) {
    super(options);
    const { factor = 0.5 } = options;
    requireFraction(this.name, 'factor', factor);
    this.factor = factor;
  }

  /** Returns which images lose their colours, bool [batch, 1, 1, 1]. */
  override getRandomTransformation(images: Tensor): Tensor {
    return less(this.perImage(images), this.factor);
  }

  override transformImages(images: Tensor, isGrey: Tensor): Tensor {
    return where(isGrey, rgbToGrayscale(images), images);
  }

  override getConfig(): Record<string, unknown> {
    const { factor, seed, dataFormat } = this;
    return { ...super.getConfig(), factor, seed, dataFormat };
  }
}

/**
 * Replaces the colours of each image by its luma, with a probability of `factor`. Inputs are unchanged where `training` is
 * false. Shapes: [batch, height, width, 3], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images of three channels.
 */
export const randomGrayscale = /* @__PURE__ */ factoryOf(RandomGrayscale, ['factor']);
