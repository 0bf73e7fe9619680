/** @file RandomBrightness, RandomContrast: images of other brightness and contrast. */
import type { Positions } from '../../../core/options.ts';
import { ValueError } from '../../../core/errors.ts';
import type { OptionNames } from '../../../core/options.ts';
import { describe } from '../../../core/shape.ts';
import { add, mul, sub } from '../../../ops/arithmetic.ts';
import { clip } from '../../../ops/clip.ts';
import { mean } from '../../../ops/mean.ts';
import { fill } from '../../../ops/creation.ts';
import { randomUniform } from '../../../ops/random.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { RandomImageLayer, type RandomImageOptions } from './imageLayer.ts';

export interface ColourOptions extends RandomImageOptions {
  /** The bounds of what is drawn: a pair, or a number. */
  factor: number | readonly [number, number];
  /** The smallest and the largest value of a pixel; results are clipped to them. Default [0, 255]. */
  valueRange?: readonly [number, number];
}

/** Options of `randomBrightness`. */
export type RandomBrightnessOptions = ColourOptions;
/** Options of `randomContrast`. */
export type RandomContrastOptions = ColourOptions;

export const colourOptionNames: OptionNames<ColourOptions> = {
  factor: true,
  valueRange: true,
  seed: true,
  dataFormat: false,
  ...layerOptionNames,
};

/** What is drawn is one number for each image, [batch, 1, 1, 1]. */
export abstract class RandomColour extends RandomImageLayer<Tensor> {
  readonly factor: readonly [number, number];
  readonly valueRange: readonly [number, number];

  constructor(options: ColourOptions, least: number) {
    super(options);
    this.factor = factorOf(this.name, options.factor, least);
    this.valueRange = rangeOf(this.name, options.valueRange ?? [0, 255]);
  }

  protected uniform(images: Tensor, min: number, max: number): Tensor {
    const shape = [images.shape[0] as number, 1, 1, 1];
    return min < max ? randomUniform(shape, { min, max, seed: this.seeds?.draw() }) : fill(shape, min);
  }

  protected clipped(images: Tensor): Tensor {
    const [min, max] = this.valueRange;
    return clip(images, { min, max });
  }

  override getConfig(): Record<string, unknown> {
    const { factor, valueRange, seed, dataFormat } = this;
    return { ...super.getConfig(), factor, valueRange, seed, dataFormat };
  }
}

/** The layer of `randomBrightness`, where shapes, weights and errors are described. */
export class RandomBrightness extends RandomColour {
  static override readonly className: string = 'RandomBrightness';

  static override get optionNames(): OptionNames<RandomBrightnessOptions> {
    return colourOptionNames;
  }

  constructor(options: RandomBrightnessOptions) {
    super(options, -1);
  }

  /** What is added to each image. */
  override getRandomTransformation(images: Tensor): Tensor {
    const [lower, upper] = this.factor;
    const [min, max] = this.valueRange;
    return mul(this.uniform(images, lower, upper), max - min);
  }

  override transformImages(images: Tensor, delta: Tensor): Tensor {
    return this.clipped(add(images, delta));
  }
}

/** The layer of `randomContrast`, where shapes, weights and errors are described. */
export class RandomContrast extends RandomColour {
  static override readonly className: string = 'RandomContrast';

  static override get optionNames(): OptionNames<RandomContrastOptions> {
    return colourOptionNames;
  }

  constructor(options: RandomContrastOptions) {
    super(options, 0);
  }

  /** What the distance of each image's values from their mean is multiplied by. */
  override getRandomTransformation(images: Tensor): Tensor {
    const [lower, upper] = this.factor;
    return this.uniform(images, 1 - lower, 1 + upper);
  }

  override transformImages(images: Tensor, factor: Tensor): Tensor {
    const means = mean(images, { axis: [1, 2], keepDims: true });
    return this.clipped(add(mul(sub(images, means), factor), means));
  }
}

/** The bounds in ascending order. A number stands for those from minus it to it, as far as `least` lets them. */
function factorOf(op: string, given: unknown, least: number): readonly [number, number] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const fits = list.every((n) => typeof n === 'number' && n >= least && n <= 1);
  if (fits && list.length === 2) return (list as number[]).toSorted((a, b) => a - b) as [number, number];
  if (fits && list.length === 1) {
    const size = Math.abs(list[0] as number);
    return [Math.max(-size, least), size];
  }
  throw new ValueError({
    op,
    rule: `\`factor\` is a number from ${least} to 1, or a pair of them.`,
    received: `factor: ${describe(given)}`,
    hint: 'pass 0.2.',
  });
}

function rangeOf(op: string, given: unknown): readonly [number, number] {
  if (
    Array.isArray(given) &&
    given.length === 2 &&
    given.every((n) => Number.isFinite(n)) &&
    given[0] !== given[1]
  ) {
    return given.toSorted((a, b) => a - b) as unknown as readonly [number, number];
  }
  throw new ValueError({
    op,
    rule: '`valueRange` is the smallest and the largest value of a pixel.',
    received: `valueRange: ${describe(given)}`,
    hint: 'pass [0, 255], or [0, 1].',
  });
}

/**
 * A number added to each image: one between the bounds of `factor`, times the length of `valueRange`. What it is given where
 * `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for what are no images.
 */
export function randomBrightness(options: RandomBrightnessOptions): RandomBrightness;
export function randomBrightness(
  ...settings: Positions<RandomBrightnessOptions, ['factor', 'valueRange', 'seed']>
): RandomBrightness;
export function randomBrightness(...args: unknown[]): RandomBrightness {
  return make(RandomBrightness, args);
}

/**
 * (x - mean) · contrast + mean of each image and channel, with a contrast from 1 - lower to 1 + upper of the
 * bounds in `factor`; as in Keras, one number stands for [0, factor]. What it is given where `training` is false. Shapes: [batch,
 * height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for what are no images.
 */
export function randomContrast(options: RandomContrastOptions): RandomContrast;
export function randomContrast(
  ...settings: Positions<RandomContrastOptions, ['factor', 'valueRange', 'seed']>
): RandomContrast;
export function randomContrast(...args: unknown[]): RandomContrast {
  return make(RandomContrast, args);
}
