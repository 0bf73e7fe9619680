/** @file Solarization: inverts the light values of images. */
import { add, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { clip } from '../../../../ops/elementwise/clip.ts';
import { less } from '../../../../ops/elementwise/comparison.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { type Bounds, type Factor, factorOf, valueRange } from './imageOptions.ts';
import { rescaled } from './randomColour.ts';
import { factoryOf, layer } from '../../base/declare.ts';

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

export class Solarization extends /* @__PURE__ */ layer<SolarizationOptions, RandomImageLayer<Levels>>(
  'Solarization',
  () => ({
    additionFactor: factorOf({ min: 0 }, 0),
    thresholdFactor: factorOf({ min: 0 }, 0),
    valueRange: valueRange(),
    ...randomTable(),
  }),
  RandomImageLayer,
) {
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
