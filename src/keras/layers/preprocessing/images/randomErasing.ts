/** @file RandomErasing: fills a box in randomly chosen images. */
import { ValueError } from '../../../../core/errors.ts';
import type { OptionNames } from '../../../../core/options.ts';
import { describe } from '../../../../core/shape.ts';
import { isListOf } from '../../../../core/lists.ts';
import { mul } from '../../../../ops/arithmetic.ts';
import { clip } from '../../../../ops/clip.ts';
import { logicalAnd } from '../../../../ops/logical.ts';
import { randomNormal } from '../../../../ops/random.ts';
import { sqrt } from '../../../../ops/unary.ts';
import { where } from '../../../../ops/where.ts';
import { tensor } from '../../../../tensor/create.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { layerOptionNames } from '../../base/layerOptions.ts';
import { pixelsInside, type Span, spanOf } from './boxes.ts';
import { RandomImageLayer, type RandomImageOptions } from './imageLayer.ts';
import { type Bounds, boundsOf, type Factor, valueRangeOf } from './imageOptions.ts';
import { factoryOf } from '../../../options/factory.ts';

/** Options of `randomErasing`. */
export interface RandomErasingOptions extends RandomImageOptions {
  /** The probability of a box, or the bounds between which it is sampled; a number means [0, factor]. Default 1. */
  factor?: Factor;
  /** Bounds of the squared height and width of the box, as shares of the image. Default [0.02, 0.33]. */
  scale?: Factor;
  /** Value of the box: a number, or one for each of three channels. Default null: normal noise. */
  fillValue?: number | readonly [number, number, number] | null;
  /** The smallest and the largest value of a pixel; fill values are clipped to them. Default [0, 255]. */
  valueRange?: Bounds;
}

/** The random parameters of a batch. */
interface Erasing {
  /** Which images are changed, bool [batch, 1, 1, 1]. */
  applyErasing: Tensor;
  /** Which pixels are in the box, bool [batch, height, width, 1 or channels]. */
  batchMasks: Tensor;
  /** The values of the box; broadcasts to the images. */
  fillValue: Tensor;
}

/** The class of layers created by `randomErasing`, which documents shapes, weights and errors. */
export class RandomErasing extends RandomImageLayer<Erasing> {
  static override readonly className: string = 'RandomErasing';

  static get knownOptions(): readonly string[] {
    return Object.keys({
      factor: true,
      scale: true,
      fillValue: true,
      valueRange: true,
      seed: true,
      dataFormat: false,
      ...layerOptionNames,
    } satisfies OptionNames<RandomErasingOptions>);
  }

  readonly factor: Bounds;
  readonly scale: Bounds;
  readonly fillValue: number | readonly [number, number, number] | null;
  readonly valueRange: Bounds;

  constructor(options: RandomErasingOptions = {}) {
    super(options);
    const { name } = this;
    this.factor = boundsOf(name, 'factor', options.factor ?? 1, { min: 0 });
    this.scale = boundsOf(name, 'scale', options.scale ?? [0.02, 0.33], { min: 0 });
    this.fillValue = fillOf(name, options.fillValue ?? null);
    this.valueRange = valueRangeOf(name, options.valueRange);
  }

  override getRandomTransformation(images: Tensor): Erasing {
    const [, height, width] = images.shape as [number, number, number];
    const span = (size: number): Span =>
      spanOf(size, sqrt(this.perImage(images, this.scale)), this.perImage(images));
    const [columns, rows] = [span(width), span(height)];
    return {
      batchMasks: pixelsInside(images, rows, columns),
      applyErasing: this.chosen(images, this.factor),
      fillValue: this.#fillFor(images),
    };
  }

  override transformImages(images: Tensor, transformation: Erasing): Tensor {
    const { applyErasing, batchMasks, fillValue } = transformation;
    return where(logicalAnd(batchMasks, applyErasing), fillValue, images);
  }

  override getConfig(): Record<string, unknown> {
    const { factor, scale, fillValue, valueRange, seed, dataFormat } = this;
    return { ...super.getConfig(), factor, scale, fillValue, valueRange, seed, dataFormat };
  }

  #fillFor({ shape }: Tensor): Tensor {
    const [min, max] = this.valueRange;
    const { fillValue } = this;
    const noise = () => mul(randomNormal(shape, { seed: this.seeds?.draw() }), max);
    const fill = fillValue === null ? noise() : tensor([fillValue].flat() as number[]);
    return clip(fill as Tensor, { min, max });
  }
}

function fillOf(op: string, given: unknown): number | readonly [number, number, number] | null {
  const isNumber = (n: unknown): n is number => Number.isFinite(n);
  if (given === null || isNumber(given)) return given;
  if (isListOf(given, isNumber, 3) && given.length === 3) return given as readonly [number, number, number];
  throw new ValueError({
    op,
    rule: '`fillValue` is a number, a list of one for each of three channels, or null for noise.',
    received: `fillValue: ${describe(given)}`,
    hint: 'pass 0 for black boxes.',
  });
}

/**
 * Fills one box in randomly chosen images. The squares of its height and width, as fractions of the image, are sampled from
 * `scale`. Inputs are unchanged where `training` is false. Shapes: [batch, height, width, channels], or without a batch, as
 * the input. float32.
 * Source: Z. Zhong et al., "Random Erasing Data Augmentation", 2017.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomErasing = /* @__PURE__ */ factoryOf(RandomErasing, [
  'factor',
  'scale',
  'fillValue',
  'valueRange',
  'seed',
]);
