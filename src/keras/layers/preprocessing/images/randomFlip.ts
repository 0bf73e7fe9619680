/** @file RandomFlip: mirrors randomly chosen images. */
import type { OptionNames } from '../../../../core/options.ts';
import { oneOf } from '../../../../core/shape.ts';
import { lessEqual } from '../../../../ops/comparison.ts';
import { flip } from '../../../../ops/flip.ts';
import { where } from '../../../../ops/where.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { layerOptionNames } from '../../base/layerOptions.ts';
import { RandomImageLayer, type RandomImageOptions } from './imageLayer.ts';
import { factoryOf } from '../../../options/factory.ts';

const flipModes = ['horizontal', 'vertical', 'horizontalAndVertical'] as const;

/** Options of `randomFlip`. */
export interface RandomFlipOptions extends RandomImageOptions {
  /** 'horizontal', 'vertical' or 'horizontalAndVertical'. Default 'horizontalAndVertical'. */
  mode?: (typeof flipModes)[number];
}

/** The class of layers created by `randomFlip`, which documents shapes, weights and errors. */
export class RandomFlip extends RandomImageLayer<Tensor> {
  static override readonly className: string = 'RandomFlip';

  static get knownOptions(): readonly string[] {
    return Object.keys({
      mode: true,
      seed: true,
      dataFormat: false,
      ...layerOptionNames,
    } satisfies OptionNames<RandomFlipOptions>);
  }

  readonly mode: (typeof flipModes)[number];

  constructor(options: RandomFlipOptions = {}) {
    super(options);
    this.mode = oneOf(this.name, 'mode', options.mode ?? 'horizontalAndVertical', flipModes);
  }

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

  override getConfig(): Record<string, unknown> {
    const { mode, seed, dataFormat } = this;
    return { ...super.getConfig(), mode, seed, dataFormat };
  }
}

/**
 * Mirrors randomly chosen images. Inputs are unchanged where `training` is false. Shapes: [batch, height, width,
 * channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomFlip = /* @__PURE__ */ factoryOf(RandomFlip, ['mode', 'seed']);
