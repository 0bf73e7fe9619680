/** @file RandomColorJitter: changes brightness, contrast, saturation and hue, one after the other. */
import type { Tensor } from '../../../../tensor/tensor.ts';
import type { Option } from '../../../options/option.ts';
import { RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { type Bounds, type Factor, valueRange } from './imageOptions.ts';
import { RandomBrightness } from './randomBrightness.ts';
import type { RandomColour } from './randomColour.ts';
import { RandomContrast } from './randomContrast.ts';
import { RandomHue } from './randomHue.ts';
import { RandomSaturation } from './randomSaturation.ts';
import { factoryOf, layer } from '../../base/declare.ts';

/** Options of `randomColorJitter`. An option that is null changes nothing. */
export interface RandomColorJitterOptions extends RandomImageOptions {
  /** The smallest and the largest value of a pixel. Default [0, 255]. */
  valueRange?: Bounds;
  /** As `factor` of `randomBrightness`. Default null. */
  brightnessFactor?: Factor | null;
  /** As `factor` of `randomContrast`. Default null. */
  contrastFactor?: Factor | null;
  /** As `factor` of `randomSaturation`. Default null. */
  saturationFactor?: Factor | null;
  /** As `factor` of `randomHue`. Default null. */
  hueFactor?: Factor | null;
}

/** The layers inside check it. */
const givenOrNull: Option<Bounds> = { read: (given) => (given ?? null) as Bounds };

export class RandomColorJitter extends /* @__PURE__ */ layer<
  RandomColorJitterOptions,
  RandomImageLayer<readonly Tensor[]>
>(
  'RandomColorJitter',
  () => ({
    valueRange: valueRange(),
    brightnessFactor: givenOrNull,
    contrastFactor: givenOrNull,
    saturationFactor: givenOrNull,
    hueFactor: givenOrNull,
    ...randomTable(),
  }),
  RandomImageLayer,
) {
  readonly #steps: readonly RandomColour[];

  constructor(options: RandomColorJitterOptions = {}) {
    super(options);
    const { valueRange } = this;
    const step = (type: new (options: never) => RandomColour, factor: Factor | null) =>
      factor === null ? [] : [new type({ factor, valueRange } as never)];
    this.#steps = [
      ...step(RandomBrightness, this.brightnessFactor),
      ...step(RandomContrast, this.contrastFactor),
      ...step(RandomSaturation, this.saturationFactor),
      ...step(RandomHue, this.hueFactor),
    ];
    for (const layer of this.#steps) layer.seeds = this.seeds;
  }

  /** Returns the draws of the steps that have a factor, in their order. */
  override getRandomTransformation(images: Tensor): readonly Tensor[] {
    return this.#steps.map((layer) => layer.getRandomTransformation(images));
  }

  override transformImages(images: Tensor, draws: readonly Tensor[]): Tensor {
    return this.#steps.reduce((x, layer, i) => layer.transformImages(x, draws[i] as Tensor), images);
  }
}

/**
 * Changes brightness, contrast, saturation and hue of each image, in this order, like `randomBrightness`, `randomContrast`,
 * `randomSaturation` and `randomHue`. Inputs are unchanged where `training` is false. Shapes: [batch, height, width, 3], or
 * without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images of three channels.
 */
export const randomColorJitter = /* @__PURE__ */ factoryOf(RandomColorJitter, [
  'valueRange',
  'brightnessFactor',
  'contrastFactor',
  'saturationFactor',
  'hueFactor',
  'seed',
]);
