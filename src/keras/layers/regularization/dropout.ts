/** @file Dropout, SpatialDropout1D, SpatialDropout2D, SpatialDropout3D: values cleared at random in training. */
import type { DType } from '../../../core/dtype.ts';
import { isListOf } from '../../../core/lists.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape, maxRank } from '../../../core/shape.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import { dropout as cleared } from '../../../ops/random/dropout.ts';
import { zerosLike } from '../../../ops/creation/like.ts';
import { SeedSequence } from '../../../ops/define/seeds.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { type DataFormatOptions, dataFormat } from '../base/dataFormat.ts';
import { fraction, seeded } from '../base/randomOptions.ts';
import {
  checked,
  factoryOf,
  layer,
  Layer,
  type CallOptions,
  type InputSpec,
  type LayerOptions,
} from '../base/declare.ts';

/** Options of `spatialDropout1d`. */
export interface SpatialDropoutOptions extends LayerOptions {
  /** Fraction of the values that are cleared, from 0 to 1. */
  rate: number;
  /** An integer in [0, 2^53): the calls of the layer draw from its sequence. Default null: drawn at every call. */
  seed?: number | null;
}

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
  declare readonly rate: number;
  declare readonly seed: number | null;
  /** The position in its random sequence, which checkpoints store. */
  readonly seeds: SeedSequence | null;

  constructor(options: SpatialDropoutOptions) {
    super(options);
    this.seeds = this.seed === null ? null : new SeedSequence(this.seed);
  }

  /** The shape of the mask; null for that of the input. */
  protected abstract maskShape(x: Tensor): OpenShape | null;

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return inputShape;
  }

  protected override outputDType([input]: readonly OpenSpec[]): DType {
    return (input as OpenSpec).dtype;
  }

  override call(x: Tensor, { training = false }: CallOptions): Tensor {
    const { rate } = this;
    if (!training || rate === 0) return x;
    if (rate === 1) return zerosLike(x);
    return cleared(x, { rate, noiseShape: this.maskShape(x) ?? undefined, seed: this.seeds?.draw() });
  }
}

export const dropoutTable = () => ({
  rate: fraction(),
  seed: seeded(),
  noiseShape: checked(noiseShapeOf, null),
});

export class Dropout extends /* @__PURE__ */ layer<DropoutOptions, RandomClearing>(
  'Dropout',
  dropoutTable,
  RandomClearing,
) {
  protected override maskShape(): OpenShape | null {
    return this.noiseShape;
  }
}

export class SpatialDropout1D extends /* @__PURE__ */ layer<SpatialDropoutOptions, RandomClearing>(
  'SpatialDropout1D',
  () => ({
    rate: fraction(),
    seed: seeded(),
  }),
  RandomClearing,
) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];

  protected override maskShape(): OpenShape {
    return [null, 1, null];
  }
}

const channelTable = () => ({ rate: fraction(), seed: seeded(), dataFormat: dataFormat() });

export class SpatialDropout2D extends /* @__PURE__ */ layer<SpatialDropout2DOptions, RandomClearing>(
  'SpatialDropout2D',
  channelTable,
  RandomClearing,
) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 4 }];

  protected override maskShape(): OpenShape {
    return [null, 1, 1, null];
  }
}

export class SpatialDropout3D extends /* @__PURE__ */ layer<SpatialDropout2DOptions, RandomClearing>(
  'SpatialDropout3D',
  channelTable,
  RandomClearing,
) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 5 }];

  protected override maskShape(): OpenShape {
    return [null, 1, 1, 1, null];
  }
}

function noiseShapeOf(op: string, what: string, shape: unknown): OpenShape {
  const isSize = (n: unknown) => n === null || (Number.isInteger(n) && (n as number) >= 1);
  if (isListOf(shape, isSize, maxRank)) return shape as OpenShape;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a list of positive sizes, the batch included, with null for those of the input.`,
    received: `${what}: ${describe(shape)}`,
    hint: 'pass [null, 1, null] to clear the steps of a sequence as one.',
  });
}

/**
 * In training, clears a fraction `rate` of the values at random and scales the others by 1 / (1 - rate); otherwise returns
 * its input. Shape: that of the input. float32. Srivastava et al., Dropout, JMLR 2014.
 * Errors: ValueError for invalid options; ShapeError for a `noiseShape` that doesn't fit.
 */
export const dropout = /* @__PURE__ */ factoryOf(Dropout, ['rate', 'noiseShape', 'seed']);

/**
 * Like `dropout`, but clears whole channels of a sequence. Shapes: [batch, steps, channels], as the input. Tompson et
 * al., Efficient object localization using convolutional networks, CVPR 2015.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const spatialDropout1d = /* @__PURE__ */ factoryOf(SpatialDropout1D, ['rate', 'seed']);

/**
 * Like `dropout`, but clears whole channels of an image. Shapes: [batch, height, width, channels], as the input. Tompson
 * et al., Efficient object localization using convolutional networks, CVPR 2015.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const spatialDropout2d = /* @__PURE__ */ factoryOf(SpatialDropout2D, ['rate']);

/**
 * Like `dropout`, but clears whole channels of a volume. Shapes: [batch, depth, height, width, channels], as the input.
 * Tompson et al., Efficient object localization using convolutional networks, CVPR 2015.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const spatialDropout3d = /* @__PURE__ */ factoryOf(SpatialDropout3D);
