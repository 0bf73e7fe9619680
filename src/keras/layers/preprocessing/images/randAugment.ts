/** @file RandAugment: applies a few randomly chosen changes, one after the other. */
import type { Tensor } from '../../../../tensor/tensor.ts';
import {
  type AugmentationOptions,
  augmentationTable,
  colours,
  RandomAugmentation,
  shapeAndTone,
  type Step,
} from './augmentations.ts';
import { factoryOf, integer, layer } from '../../base/declare.ts';

/** Options of `randAugment`. The default of `factor` is 0.5. */
export interface RandAugmentOptions extends AugmentationOptions {
  /** The number of changes applied to a batch. Default 2. */
  numOps?: number;
}

const names = [...shapeAndTone, ...colours];

export class RandAugment extends /* @__PURE__ */ layer<
  RandAugmentOptions,
  RandomAugmentation<readonly Step[]>
>(
  'RandAugment',
  () => ({ ...augmentationTable(0.5), numOps: integer({ min: 0, default: 2 }) }),
  RandomAugmentation,
) {
  /** Returns the random changes in their order. */
  override getRandomTransformation(images: Tensor): readonly Step[] {
    const draw = this.hostDraws();
    return Array.from({ length: this.numOps }, () => {
      const name = names[Math.floor(draw() * names.length)] as (typeof names)[number];
      return this.drawStep(name, images);
    });
  }

  override transformImages(images: Tensor, steps: readonly Step[]): Tensor {
    return steps.reduce((x, step) => this.takeStep(x, step), images);
  }

  override transformSegmentationMasks(masks: Tensor, steps: readonly Step[]): Tensor {
    return steps.reduce((x, step) => this.stepOnMasks(x, step), masks);
  }
}

/**
 * Applies `numOps` changes, chosen for the batch from shears, translations, rotations, posterization, solarization, contrast,
 * equalization, brightness, fading and sharpness. They are chosen on the host, so a model with this layer inside can't replay
 * its training steps: apply it in a dataset instead. Inputs are unchanged where `training` is false. Shapes: [batch, height,
 * width, 3], or without a batch, as the input. float32.
 * Source: E. Cubuk et al., "RandAugment: Practical automated data augmentation with a reduced search space", 2019.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randAugment = /* @__PURE__ */ factoryOf(RandAugment, [
  'valueRange',
  'numOps',
  'factor',
  'interpolation',
  'seed',
]);
