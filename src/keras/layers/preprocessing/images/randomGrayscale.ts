/** @file RandomGrayscale: converts randomly chosen images to greyscale. */
import type { DType } from '../../../../core/dtype.ts';
import type { OpenSpec } from '../../../../core/spec.ts';
import { rgbToGrayscale } from '../../../../ops/images/colours.ts';
import { less } from '../../../../ops/elementwise/comparison.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { fraction } from '../../base/randomOptions.ts';
import {
  asImages,
  type ImageChanges,
  RandomImageLayer,
  type RandomImageOptions,
  randomTable,
} from './imageLayer.ts';
import { type CallOptions, factoryOf, layer } from '../../base/declare.ts';

export interface RandomGrayscaleOptions extends RandomImageOptions {
  /** The probability that an image loses its colours. Default 0.5. */
  factor?: number;
}

export class RandomGrayscale extends /* @__PURE__ */ layer<RandomGrayscaleOptions, RandomImageLayer<Tensor>>(
  'RandomGrayscale',
  () => ({ factor: fraction(0.5), ...randomTable() }),
  RandomImageLayer,
) {
  /** Returns which images lose their colours, bool [batch, 1, 1, 1]. */
  override getRandomTransformation(images: Tensor): Tensor {
    return less(this.perImage(images), this.factor);
  }

  override transformImages(images: Tensor, isGrey: Tensor): Tensor {
    return where(isGrey, rgbToGrayscale(images), images);
  }

  protected override outputDType([input]: readonly OpenSpec[]): DType {
    return (input as OpenSpec).dtype;
  }

  protected override changes(images: Tensor, options: CallOptions): ImageChanges {
    const { images: change = (x: Tensor) => x, ...others } = super.changes(images, options);
    return { ...others, images: (x) => asImages(x, change) };
  }
}

/**
 * Replaces the colours of each image by its luma, with a probability of `factor`. Inputs are unchanged where `training` is
 * false. Shapes: [batch, height, width, 3], or without a batch, as the input. Dtype: that of the input; integers are truncated.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images of three channels.
 */
export const randomGrayscale = /* @__PURE__ */ factoryOf(RandomGrayscale, ['factor']);
