/** @file RandomFlip: mirrors randomly chosen images. */
import { lessEqual } from '../../../../ops/elementwise/comparison.ts';
import { flip } from '../../../../ops/arrangement/flip.ts';
import { where } from '../../../../ops/elementwise/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { factoryOf, layer, oneOf } from '../../base/declare.ts';

const flipModes = ['horizontal', 'vertical', 'horizontalAndVertical'] as const;

export interface RandomFlipOptions extends RandomImageOptions {
  /** 'horizontal', 'vertical' or 'horizontalAndVertical'. Default 'horizontalAndVertical'. */
  mode?: (typeof flipModes)[number];
}

export class RandomFlip extends /* @__PURE__ */ layer<RandomFlipOptions, RandomImageLayer<Tensor>>(
  'RandomFlip',
  () => ({ mode: oneOf(flipModes, 'horizontalAndVertical'), ...randomTable() }),
  RandomImageLayer,
) {
  /** Returns which images are mirrored, bool [batch, 1, 1, 1]. */
  override getRandomTransformation(images: Tensor): Tensor {
    return lessEqual(this.perImage(images), 0.5);
  }

  override transformImages(images: Tensor, flips: Tensor): Tensor {
    const { mode } = this;
    const axis = { horizontal: [2], vertical: [1], horizontalAndVertical: [1, 2] }[mode];
    return where(flips, flip(images, { axis }), images);
  }

  override transformSegmentationMasks(masks: Tensor, flips: Tensor): Tensor {
    return this.transformImages(masks, flips);
  }
}

/**
 * Mirrors randomly chosen images. Inputs are unchanged where `training` is false. Shapes: [batch, height, width,
 * channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomFlip = /* @__PURE__ */ factoryOf(RandomFlip, ['mode', 'seed']);
