/** @file RandomShear: shears images, shifting their rows and columns. */
import { isListOf } from '../../../../core/lists.ts';
import { mul } from '../../../../ops/elementwise/arithmetic.ts';
import { greater } from '../../../../ops/elementwise/comparison.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { type Bounds, boundsOf, type Factor } from './imageOptions.ts';
import { type AffineOptions, affineTable, maps, RandomAffine } from './randomAffine.ts';
import { checked, factoryOf, layer } from '../../base/declare.ts';

export interface RandomShearOptions extends AffineOptions {
  /** How many pixels each row is shifted against the one above, from 0 to 1; a number means [-factor, factor]. Default 0. */
  xFactor?: Factor;
  /** How many pixels each column is shifted against the one before, like `xFactor`. Default 0. */
  yFactor?: Factor;
}

const range = { min: 0, single: (factor: number): Bounds => [-factor, factor] };

export class RandomShear extends /* @__PURE__ */ layer<RandomShearOptions, RandomAffine>(
  'RandomShear',
  () => ({ xFactor: checked(shearOf, 0), yFactor: checked(shearOf, 0), ...affineTable() }),
  RandomAffine,
) {
  override getRandomTransformation(images: Tensor): Tensor {
    const direction = where(greater(this.column(images, [0, 1]), 0.5), -1, 1);
    const down = mul(this.column(images, this.yFactor), direction);
    const across = mul(this.column(images, this.xFactor), direction);
    return maps([1, across, 0, down, 1, 0], across);
  }
}

/** As in Keras, a pair [-factor, factor] is accepted as well, since configurations contain the bounds that a number means. */
function shearOf(op: string, what: string, given: unknown): Bounds {
  const isNumber = (n: unknown): n is number => typeof n === 'number';
  const isPair = isListOf(given, isNumber, 2) && given.length === 2;
  if (isPair && (given[0] as number) === -(given[1] as number)) return boundsOf(op, what, given[1], range);
  return boundsOf(op, what, given, range);
}

/**
 * Shears each image by factors between the bounds, in a random direction. Inputs are unchanged where `training` is false.
 * Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomShear = /* @__PURE__ */ factoryOf(RandomShear);
