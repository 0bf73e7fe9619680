/** @file RandomTranslation: moves images. */
import type { OptionNames } from '../../../../core/options.ts';
import { mul } from '../../../../ops/arithmetic.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { boundsOf, type Factor } from './imageOptions.ts';
import { type AffineOptions, affineOptionNames, maps, RandomAffine } from './randomAffine.ts';
import { factoryOf } from '../../../options/factory.ts';

/** Options of `randomTranslation`. */
export interface RandomTranslationOptions extends AffineOptions {
  /** Bounds as fractions of the height, from -1 to 1; positive ones move down. */
  heightFactor: Factor;
  /** Bounds as fractions of the width, from -1 to 1; positive ones move right. */
  widthFactor: Factor;
}

const range = { min: -1 };

/** The class of layers created by `randomTranslation`, which documents shapes, weights and errors. */
export class RandomTranslation extends RandomAffine {
  static override readonly className: string = 'RandomTranslation';

  static get knownOptions(): readonly string[] {
    return Object.keys({
      heightFactor: true,
      widthFactor: true,
      ...affineOptionNames,
    } satisfies OptionNames<RandomTranslationOptions>);
  }

  readonly heightFactor: Factor;
  readonly widthFactor: Factor;

  constructor(options: RandomTranslationOptions) {
    super(options);
    this.heightFactor = options.heightFactor;
    this.widthFactor = options.widthFactor;
    boundsOf(this.name, 'heightFactor', this.heightFactor, range);
    boundsOf(this.name, 'widthFactor', this.widthFactor, range);
  }

  override getRandomTransformation(images: Tensor): Tensor {
    const [, height, width] = images.shape as [number, number, number];
    const sampled = (what: 'heightFactor' | 'widthFactor') =>
      this.column(images, boundsOf(this.name, what, this[what], range));
    const down = mul(sampled('heightFactor'), -height);
    const across = mul(sampled('widthFactor'), -width);
    return maps([1, 0, across, 0, 1, down], down);
  }

  override getConfig(): Record<string, unknown> {
    const { heightFactor, widthFactor } = this;
    return { ...super.getConfig(), heightFactor, widthFactor, ...this.affineConfig };
  }
}

/**
 * Moves each image by fractions of its height and width between the bounds of the factors. Inputs are unchanged where
 * `training` is false. Shapes: [batch, height, width, channels], or without a batch, as the input. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomTranslation = /* @__PURE__ */ factoryOf(RandomTranslation);
