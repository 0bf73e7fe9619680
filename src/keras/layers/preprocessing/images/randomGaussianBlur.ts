/** @file RandomGaussianBlur: blurs randomly chosen images. */
import { ValueError } from '../../../../core/errors.ts';
import { describe } from '../../../../core/shape.ts';
import { add } from '../../../../ops/elementwise/arithmetic.ts';
import { clip } from '../../../../ops/elementwise/clip.ts';
import { flip } from '../../../../ops/arrangement/flip.ts';
import { gaussianBlur } from '../../../../ops/images/gaussianBlur.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { type Bounds, type Factor, factorOf, valueRange } from './imageOptions.ts';
import { checked, factoryOf, layer } from '../../base/declare.ts';

export interface RandomGaussianBlurOptions extends RandomImageOptions {
  /** The probability of a blur, or the bounds between which it is sampled; a number means [0, factor]. Default 1. */
  factor?: Factor;
  /** Width and height of the window, odd numbers. Default 3. */
  kernelSize?: number | readonly [number, number];
  /** Bounds of the standard deviation, in pixels, from 0 to 1; a number means [0, sigma]. Default 1. */
  sigma?: Factor;
  /** The smallest and the largest value of a pixel; results are clipped to them. Default [0, 255]. */
  valueRange?: Bounds;
}

/** The random parameters of a batch. */
interface Blur {
  /** Which images are blurred, bool [batch, 1, 1, 1]. */
  shouldApplyBlur: Tensor;
  /** Standard deviations across and down, [2]. */
  blurFactor: Tensor;
}

export class RandomGaussianBlur extends /* @__PURE__ */ layer<
  RandomGaussianBlurOptions,
  RandomImageLayer<Blur>
>(
  'RandomGaussianBlur',
  () => ({
    factor: factorOf({ min: 0 }, 1),
    kernelSize: checked(oddPair, 3),
    sigma: factorOf({ min: 0 }, 1),
    valueRange: valueRange(),
    ...randomTable(),
  }),
  RandomImageLayer,
) {
  override getRandomTransformation(images: Tensor): Blur {
    const shouldApplyBlur = this.chosen(images, this.factor);
    return { shouldApplyBlur, blurFactor: add(this.uniform([2], this.sigma), 1e-6) };
  }

  override transformImages(images: Tensor, { shouldApplyBlur, blurFactor }: Blur): Tensor {
    const [width, height] = this.kernelSize;
    const [min, max] = this.valueRange;
    const sigma = flip(blurFactor, { axis: 0 });
    const blurred = gaussianBlur(images, sigma, { kernelSize: [height, width] });
    return clip(where(shouldApplyBlur, blurred, images), { min, max });
  }
}

function oddPair(op: string, what: string, given: unknown): readonly [number, number] {
  const pair = Array.isArray(given) ? given : [given, given];
  if (pair.length === 2 && pair.every((n) => Number.isInteger(n) && n > 0 && n % 2 === 1))
    return pair as unknown as readonly [number, number];
  throw new ValueError({
    op,
    rule: `\`${what}\` is an odd number of pixels, or a pair of them.`,
    received: `${what}: ${describe(given)}`,
    hint: 'pass 3, so that the window has a pixel in its middle.',
  });
}

/**
 * Blurs randomly chosen images by a Gaussian window whose standard deviations are sampled for the batch. Inputs are
 * unchanged where `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomGaussianBlur = /* @__PURE__ */ factoryOf(RandomGaussianBlur, [
  'factor',
  'kernelSize',
  'sigma',
  'valueRange',
]);
