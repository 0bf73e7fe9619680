/** @file Solarization: inverts the light values of images. */
import type { OptionNames } from '../../../../core/options.ts';
import { add, sub } from '../../../../ops/arithmetic.ts';
import { clip } from '../../../../ops/clip.ts';
import { less } from '../../../../ops/comparison.ts';
import { where } from '../../../../ops/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { layerOptionNames } from '../../base/layerOptions.ts';
import { RandomImageLayer, type RandomImageOptions } from './imageLayer.ts';
import { type Bounds, boundsOf, type Factor, valueRangeOf } from './imageOptions.ts';
import { rescaled } from './randomColour.ts';
import { factoryOf } from '../../../options/factory.ts';

/** Options of `solarization`. */
export interface SolarizationOptions extends RandomImageOptions {
  /** Bounds of a number that is added first, from 0 to 1; a number means [0, factor]. Default 0. */
  additionFactor?: Factor;
  /** Bounds of the threshold from which values are inverted, from 0 to 1; a number means [0, factor]. Default 0. */
  thresholdFactor?: Factor;
  /** The smallest and the largest value of a pixel; results are clipped to them. Default [0, 255]. */
  valueRange?: Bounds;
}

/** The numbers sampled for each image, [batch, 1, 1, 1], on a scale of 0 to 255. */
interface Levels {
  additions: Tensor;
  thresholds: Tensor;
}

/** As in Keras, only the upper bound is scaled to bytes. */
const inBytes = ([lower, upper]: Bounds): Bounds => [lower, upper * 255];

/** The class of layers created by `solarization`, which documents shapes, weights and errors. */
export class Solarization extends RandomImageLayer<Levels> {
  static override readonly className: string = 'Solarization';

  static get knownOptions(): readonly string[] {
    return Object.keys({
      additionFactor: true,
      thresholdFactor: true,
      valueRange: true,
      seed: true,
      dataFormat: false,
      ...layerOptionNames,
    } satisfies OptionNames<SolarizationOptions>);
  }

  readonly additionFactor: Bounds;
  readonly thresholdFactor: Bounds;
  readonly valueRange: Bounds;

  constructor(options: SolarizationOptions = {}) {
    super(options);
    const { additionFactor = 0, thresholdFactor = 0 } = options;
    this.additionFactor = boundsOf(this.name, 'additionFactor', additionFactor, { min: 0 });
    this.thresholdFactor = boundsOf(this.name, 'thresholdFactor', thresholdFactor, { min: 0 });
    this.valueRange = valueRangeOf(this.name, options.valueRange);
  }

  override getRandomTransformation(images: Tensor): Levels {
    const additions = this.perImage(images, inBytes(this.additionFactor));
    return { additions, thresholds: this.perImage(images, inBytes(this.thresholdFactor)) };
  }

  override transformImages(images: Tensor, { additions, thresholds }: Levels): Tensor {
    const bytes = rescaled(images, this.valueRange, [0, 255]);
    const raised = clip(add(bytes, additions), { min: 0, max: 255 });
    const inverted = where(less(raised, thresholds), raised, sub(255, raised));
    return rescaled(inverted, [0, 255], this.valueRange);
  }

  override getConfig(): Record<string, unknown> {
    const { additionFactor, thresholdFactor, valueRange, seed, dataFormat } = this;
    return { ...super.getConfig(), additionFactor, thresholdFactor, valueRange, seed, dataFormat };
  }
}

/**
 * Adds a number to each image, then inverts the values from a threshold on; both are sampled, on a scale of 0 to 255.
 * Inputs are unchanged where `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input.
 * float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const solarization = /* @__PURE__ */ factoryOf(Solarization, [
  'additionFactor',
  'thresholdFactor',
  'valueRange',
  'seed',
]);
