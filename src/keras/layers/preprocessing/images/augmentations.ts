/** @file The changes that RandAugment and AugMix choose from, and the base of both layers. */
import { currentExecutor } from '../../../../execution/currentExecutor.ts';
import { freshSeed } from '../../../../ops/define/seeds.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { hostUniform } from '../../../initializers/hostRandom.ts';
import { AutoContrast } from './autoContrast.ts';
import { Equalization } from './equalization.ts';
import { RandomImageLayer, type RandomImageOptions, randomTable } from './imageLayer.ts';
import { betweenPixels, type Bounds, type Factor, factorOf, valueRange } from './imageOptions.ts';
import { RandomBrightness } from './randomBrightness.ts';
import { RandomColorDegeneration } from './randomColorDegeneration.ts';
import { RandomContrast } from './randomContrast.ts';
import { RandomPosterization } from './randomPosterization.ts';
import { RandomSharpness } from './randomSharpness.ts';
import { RandomRotation } from './randomRotation.ts';
import { RandomShear } from './randomShear.ts';
import { RandomTranslation } from './randomTranslation.ts';
import { Solarization } from './solarization.ts';

export interface AugmentationOptions extends RandomImageOptions {
  /** The smallest and the largest value of a pixel. Default [0, 255]. */
  valueRange?: Bounds;
  /** Bounds of the strength of changes, from 0 to 1; a number means [0, factor]. */
  factor?: Factor;
  /** Default 'bilinear'. */
  interpolation?: 'bilinear' | 'nearest';
}

/** The table of these options. */
export const augmentationTable = (factor: number) => ({
  valueRange: valueRange(),
  factor: factorOf({ min: 0 }, factor),
  interpolation: betweenPixels(),
  ...randomTable(),
});

/** A sampled change, by its name. */
export interface Step {
  readonly layer: AugmentationName;
  /** The values that the change's layer drew; null for layers that draw nothing. */
  readonly transformation: unknown;
}

type Augmentation = RandomImageLayer<unknown> | AutoContrast | Equalization;

/** Keras's names and order. */
export const shapeAndTone = [
  'randomShear',
  'randomTranslation',
  'randomRotation',
  'randomPosterization',
  'solarization',
  'autoContrast',
  'equalization',
] as const;
export const colours = [
  'randomBrightness',
  'randomColorDegeneration',
  'randomContrast',
  'randomSharpness',
] as const;

export type AugmentationName = (typeof shapeAndTone)[number] | (typeof colours)[number];

/** Chooses the changes on the host, so that only the chosen ones are computed. */
export abstract class RandomAugmentation<Transformation> extends RandomImageLayer<Transformation> {
  declare readonly valueRange: Bounds;
  declare readonly factor: Bounds;
  declare readonly interpolation: 'bilinear' | 'nearest';
  readonly #layers: Readonly<Record<AugmentationName, Augmentation>>;

  constructor(options: AugmentationOptions) {
    super(options);
    this.#layers = layersOf(this);
    for (const layer of Object.values(this.#layers)) {
      if (layer instanceof RandomImageLayer) layer.seeds = this.seeds;
    }
  }

  /** Uniform numbers in [0, 1) on the host. A replay would repeat them, so work that draws them can't be replayed. */
  protected hostDraws(): () => number {
    const { name, seeds } = this;
    currentExecutor()?.postpone(
      `layer '${name}' chooses changes on the host; apply it in a dataset`,
      () => {},
    );
    const seed = seeds?.draw() ?? freshSeed();
    return hostUniform(typeof seed === 'number' ? seed : seed.low.value);
  }

  protected drawStep(layer: AugmentationName, images: Tensor): Step {
    const found = this.#layers[layer];
    const isRandom = found instanceof RandomImageLayer;
    return { layer, transformation: isRandom ? found.getRandomTransformation(images) : null };
  }

  protected takeStep(images: Tensor, { layer, transformation }: Step): Tensor {
    return this.#layers[layer].transformImages(images, transformation);
  }

  protected stepOnMasks(masks: Tensor, { layer, transformation }: Step): Tensor {
    const found = this.#layers[layer];
    return found instanceof RandomImageLayer
      ? found.transformSegmentationMasks(masks, transformation)
      : masks;
  }
}

interface Strength {
  readonly valueRange: Bounds;
  readonly factor: Bounds;
  readonly interpolation: 'bilinear' | 'nearest';
}

function layersOf(strength: Strength): Readonly<Record<AugmentationName, Augmentation>> {
  const { factor, valueRange, interpolation } = strength;
  const both = { factor, valueRange };
  const bits = Math.max(1, Math.trunc(8 * factor[1]));
  return {
    randomShear: new RandomShear({ xFactor: factor, yFactor: factor, interpolation }),
    randomTranslation: new RandomTranslation({ heightFactor: factor, widthFactor: factor, interpolation }),
    randomRotation: new RandomRotation({ factor, interpolation }),
    randomPosterization: new RandomPosterization({ factor: bits, valueRange }),
    solarization: new Solarization({ additionFactor: factor, thresholdFactor: factor, valueRange }),
    autoContrast: new AutoContrast({ valueRange }),
    equalization: new Equalization({ valueRange }),
    randomBrightness: new RandomBrightness(both),
    randomColorDegeneration: new RandomColorDegeneration(both),
    randomContrast: new RandomContrast(both),
    randomSharpness: new RandomSharpness(both),
  };
}
