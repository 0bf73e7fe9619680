/** @file Dropout, SpatialDropout1D, SpatialDropout2D, SpatialDropout3D: values cleared at random in training. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { isListOf } from '../../../core/lists.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape, maxRank } from '../../../core/shape.ts';
import { dropout as cleared } from '../../../ops/dropout.ts';
import { zerosLike } from '../../../ops/like.ts';
import { SeedSequence } from '../../../ops/seeds.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { type CallOptions, Layer, type LayerOptions } from '../base/layer.ts';
import { type DataFormatOptions, requireChannelsLast } from '../base/dataFormat.ts';
import { requireFraction, seedOf } from '../base/randomOptions.ts';

/** Options of `spatialDropout1d`. */
export interface SpatialDropoutOptions extends LayerOptions {
  /** Fraction of the values that are cleared, from 0 to 1. */
  rate: number;
  /** An integer in [0, 2^53): the calls of the layer draw from its sequence. Default null: drawn at every call. */
  seed?: number | null;
}

/** Options of `dropout`. */
export interface DropoutOptions extends SpatialDropoutOptions {
  /**
   * Shape of the mask, the batch included: values along an axis of size 1 are kept or cleared together; null stands for the
   * size of the input. Default null: the shape of the input.
   */
  noiseShape?: OpenShape | null;
}

/** Options of `spatialDropout2d` and `spatialDropout3d`. */
export interface SpatialDropout2DOptions extends SpatialDropoutOptions, DataFormatOptions {}

abstract class RandomClearing extends Layer {
  override readonly supportsMasking: boolean = true;
  readonly rate: number;
  readonly seed: number | null;
  /** The position in its random sequence, which checkpoints store. */
  readonly seeds: SeedSequence | null;

  constructor(options: SpatialDropoutOptions) {
    super(options);
    requireFraction(this.name, 'rate', options.rate);
    this.rate = options.rate;
    this.seed = seedOf(this.name, options.seed);
    this.seeds = this.seed === null ? null : new SeedSequence(this.seed);
  }

  /** The shape of the mask; null for that of the input. */
  protected abstract maskShape(x: Tensor): OpenShape | null;

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return inputShape;
  }

  override call(x: Tensor, { training = false }: CallOptions): Tensor {
    const { rate } = this;
    if (!training || rate === 0) return x;
    if (rate === 1) return zerosLike(x);
    return cleared(x, { rate, noiseShape: this.maskShape(x) ?? undefined, seed: this.seeds?.draw() });
  }

  override getConfig(): Record<string, unknown> {
    const { rate, seed } = this;
    return { ...super.getConfig(), rate, seed };
  }
}

/** The class of layers created by `dropout`, which documents shapes, weights and errors. */
export class Dropout extends RandomClearing {
  static override readonly className: string = 'Dropout';

  static override get optionNames(): OptionNames<DropoutOptions> {
    return { rate: true, noiseShape: true, seed: true, ...layerOptionNames };
  }

  readonly noiseShape: OpenShape | null;

  constructor(options: DropoutOptions) {
    super(options);
    const { noiseShape = null } = options;
    const isSize = (n: unknown) => n === null || (Number.isInteger(n) && (n as number) >= 1);
    if (noiseShape !== null && !isListOf(noiseShape, isSize, maxRank)) {
      throw new ValueError({
        op: this.name,
        rule: '`noiseShape` is a list of positive sizes, the batch included, with null for those of the input.',
        received: `noiseShape: ${describe(noiseShape)}`,
        hint: 'pass [null, 1, null] to clear the steps of a sequence as one.',
      });
    }
    this.noiseShape = noiseShape;
  }

  protected override maskShape(): OpenShape | null {
    return this.noiseShape;
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), noiseShape: this.noiseShape };
  }
}

/** The class of layers created by `spatialDropout1d`, which documents shapes, weights and errors. */
export class SpatialDropout1D extends RandomClearing {
  static override readonly className: string = 'SpatialDropout1D';

  static override get optionNames(): OptionNames<SpatialDropoutOptions> {
    return { rate: true, seed: true, ...layerOptionNames };
  }

  constructor(options: SpatialDropoutOptions) {
    super(options);
    this.inputSpec = [{ rank: 3 }];
  }

  protected override maskShape(): OpenShape {
    return [null, 1, null];
  }
}

const channelOptionNames: OptionNames<SpatialDropout2DOptions> = {
  rate: true,
  seed: false,
  dataFormat: false,
  ...layerOptionNames,
};

abstract class ChannelClearing extends RandomClearing {
  readonly dataFormat = 'channelsLast';
  readonly #mask: OpenShape;

  constructor(options: SpatialDropout2DOptions, mask: OpenShape) {
    super(options);
    requireChannelsLast(this.name, options.dataFormat);
    this.inputSpec = [{ rank: mask.length }];
    this.#mask = mask;
  }

  protected override maskShape(): OpenShape {
    return this.#mask;
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), dataFormat: this.dataFormat };
  }
}

/** The class of layers created by `spatialDropout2d`, which documents shapes, weights and errors. */
export class SpatialDropout2D extends ChannelClearing {
  static override readonly className: string = 'SpatialDropout2D';

  static override get optionNames(): OptionNames<SpatialDropout2DOptions> {
    return channelOptionNames;
  }

  constructor(options: SpatialDropout2DOptions) {
    super(options, [null, 1, 1, null]);
  }
}

/** The class of layers created by `spatialDropout3d`, which documents shapes and errors. */
export class SpatialDropout3D extends ChannelClearing {
  static override readonly className: string = 'SpatialDropout3D';

  static override get optionNames(): OptionNames<SpatialDropout2DOptions> {
    return channelOptionNames;
  }

  constructor(options: SpatialDropout2DOptions) {
    super(options, [null, 1, 1, 1, null]);
  }
}

/**
 * In training, clears a fraction `rate` of the values at random and scales the others by 1 / (1 - rate); otherwise returns
 * its input. Shape: that of the input. float32. Srivastava et al., Dropout, JMLR 2014.
 * Errors: ValueError for invalid options; ShapeError for a `noiseShape` that doesn't fit.
 */
export function dropout(options: DropoutOptions): Dropout;
export function dropout(...settings: Positions<DropoutOptions, ['rate', 'noiseShape', 'seed']>): Dropout;
export function dropout(...args: unknown[]): Dropout {
  return make(Dropout, args);
}

/**
 * Like `dropout`, but clears whole channels of a sequence. Shapes: [batch, steps, channels], as the input. Tompson et
 * al., Efficient object localization using convolutional networks, CVPR 2015.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function spatialDropout1d(options: SpatialDropoutOptions): SpatialDropout1D;
export function spatialDropout1d(
  ...settings: Positions<SpatialDropoutOptions, ['rate', 'seed']>
): SpatialDropout1D;
export function spatialDropout1d(...args: unknown[]): SpatialDropout1D {
  return make(SpatialDropout1D, args);
}

/**
 * Like `dropout`, but clears whole channels of an image. Shapes: [batch, height, width, channels], as the input. Tompson
 * et al., Efficient object localization using convolutional networks, CVPR 2015.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function spatialDropout2d(options: SpatialDropout2DOptions): SpatialDropout2D;
export function spatialDropout2d(...settings: Positions<SpatialDropout2DOptions, ['rate']>): SpatialDropout2D;
export function spatialDropout2d(...args: unknown[]): SpatialDropout2D {
  return make(SpatialDropout2D, args);
}

/**
 * Like `dropout`, but clears whole channels of a volume. Shapes: [batch, depth, height, width, channels], as the input.
 * Tompson et al., Efficient object localization using convolutional networks, CVPR 2015.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function spatialDropout3d(options: SpatialDropout2DOptions): SpatialDropout3D;
export function spatialDropout3d(...args: unknown[]): SpatialDropout3D {
  return make(SpatialDropout3D, args);
}
