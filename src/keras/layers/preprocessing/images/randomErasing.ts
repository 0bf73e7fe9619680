/** @file RandomErasing: fills a box in randomly chosen images. */
import { ValueError } from '../../../../core/errors.ts';
import { describe } from '../../../../core/shape.ts';
import { isListOf } from '../../../../core/lists.ts';
import { mul } from '../../../../ops/elementwise/arithmetic.ts';
import { clip } from '../../../../ops/elementwise/clip.ts';
import { logicalAnd } from '../../../../ops/elementwise/logical.ts';
import { randomNormal } from '../../../../ops/random/random.ts';
import { sqrt } from '../../../../ops/elementwise/unary.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import { tensor } from '../../../../tensor/create.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { pixelsInside, type Span, spanOf } from './boxes.ts';
import { RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { type Bounds, type Factor, factorOf, valueRange } from './imageOptions.ts';
import { checked, factoryOf, layer } from '../../base/declare.ts';

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

export class RandomErasing extends /* @__PURE__ */ layer<RandomErasingOptions, RandomImageLayer<Erasing>>(
  'RandomErasing',
  () => ({
    factor: factorOf({ min: 0 }, 1),
    scale: factorOf({ min: 0 }, [0.02, 0.33]),
    fillValue: checked(fillOf, null) as never,
    valueRange: valueRange(),
    ...randomTable(),
  }),
  RandomImageLayer,
) {
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

  #fillFor({ shape }: Tensor): Tensor {
    const [min, max] = this.valueRange;
    const fillValue: number | readonly number[] | null = this.fillValue;
    const noise = () => mul(randomNormal(shape, { seed: this.seeds?.draw() }), max);
    const fill = fillValue === null ? noise() : tensor([fillValue].flat() as number[]);
    return clip(fill as Tensor, { min, max });
  }
}

function fillOf(op: string, _: string, given: unknown): number | readonly [number, number, number] {
  const isNumber = (n: unknown): n is number => Number.isFinite(n);
  if (isNumber(given)) return given;
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
