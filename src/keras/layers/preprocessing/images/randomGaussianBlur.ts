/** @file RandomGaussianBlur: blurs randomly chosen images. */
import { ValueError } from '../../../../core/errors.ts';
import type { OptionNames } from '../../../../core/options.ts';
import { describe } from '../../../../core/shape.ts';
import { add } from '../../../../ops/arithmetic.ts';
import { clip } from '../../../../ops/clip.ts';
import { flip } from '../../../../ops/flip.ts';
import { gaussianBlur } from '../../../../ops/gaussianBlur.ts';
import { where } from '../../../../ops/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { layerOptionNames } from '../../base/layerOptions.ts';
import { RandomImageLayer, type RandomImageOptions } from './imageLayer.ts';
import { type Bounds, boundsOf, type Factor, valueRangeOf } from './imageOptions.ts';
import { factoryOf } from '../../../options/factory.ts';

/** Options of `randomGaussianBlur`. */
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

/** The class of layers created by `randomGaussianBlur`, which documents shapes, weights and errors. */
export class RandomGaussianBlur extends RandomImageLayer<Blur> {
  static override readonly className: string = 'RandomGaussianBlur';

  static get knownOptions(): readonly string[] {
    return Object.keys({
      factor: true,
      kernelSize: true,
      sigma: true,
      valueRange: true,
      seed: false,
      dataFormat: false,
      ...layerOptionNames,
    } satisfies OptionNames<RandomGaussianBlurOptions>);
  }

  readonly factor: Bounds;
  readonly kernelSize: readonly [width: number, height: number];
  readonly sigma: Bounds;
  readonly valueRange: Bounds;

  constructor(options: RandomGaussianBlurOptions = {}) {
    super(options);
    const { name } = this;
    this.factor = boundsOf(name, 'factor', options.factor ?? 1, { min: 0 });
    this.kernelSize = oddPair(name, options.kernelSize ?? 3);
    this.sigma = boundsOf(name, 'sigma', options.sigma ?? 1, { min: 0 });
    this.valueRange = valueRangeOf(name, options.valueRange);
  }

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

  override getConfig(): Record<string, unknown> {
    const { factor, kernelSize, sigma, valueRange, seed, dataFormat } = this;
    return { ...super.getConfig(), factor, kernelSize, sigma, valueRange, seed, dataFormat };
  }
}

function oddPair(op: string, given: unknown): readonly [number, number] {
  const pair = Array.isArray(given) ? given : [given, given];
  if (pair.length === 2 && pair.every((n) => Number.isInteger(n) && n > 0 && n % 2 === 1))
    return pair as unknown as readonly [number, number];
  throw new ValueError({
    op,
    rule: '`kernelSize` is an odd number of pixels, or a pair of them.',
    received: `kernelSize: ${describe(given)}`,
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
