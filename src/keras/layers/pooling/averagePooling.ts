/** @file AveragePooling1D, AveragePooling2D: the mean of each window, without its padding. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { make } from '../base/layerOptions.ts';
import { Pooling, poolingOptionNames, type PoolingOptions } from './basePooling.ts';
import { avgPool, avgPool1d } from '../../../ops/avgPool.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Pair, Single } from '../base/dataFormat.ts';

/** Options of `averagePooling1d`. */
export type AveragePooling1DOptions = PoolingOptions<Single>;
/** Options of `averagePooling2d`. */
export type AveragePooling2DOptions = PoolingOptions<Pair>;

/** The class of layers created by `averagePooling1d`, which documents shapes, weights and errors. */
export class AveragePooling1D extends Pooling {
  static override readonly className: string = 'AveragePooling1D';

  static override get optionNames(): OptionNames<AveragePooling1DOptions> {
    return poolingOptionNames;
  }

  constructor(options?: AveragePooling1DOptions) {
    super(1, options);
  }

  override call(x: Tensor): Tensor {
    return avgPool1d(x, this.windows);
  }
}

/** The class of layers created by `averagePooling2d`, which documents shapes, weights and errors. */
export class AveragePooling2D extends Pooling {
  static override readonly className: string = 'AveragePooling2D';

  static override get optionNames(): OptionNames<AveragePooling2DOptions> {
    return poolingOptionNames;
  }

  constructor(options?: AveragePooling2DOptions) {
    super(2, options);
  }

  override call(x: Tensor): Tensor {
    return avgPool(x, this.windows);
  }
}

/**
 * The mean of each window of a sequence. Shapes: [batch, steps, channels] → [batch, steps', channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function averagePooling1d(options?: AveragePooling1DOptions): AveragePooling1D;
export function averagePooling1d(
  ...settings: Positions<AveragePooling1DOptions, ['poolSize', 'strides', 'padding']>
): AveragePooling1D;
export function averagePooling1d(...args: unknown[]): AveragePooling1D {
  return make(AveragePooling1D, args);
}

/**
 * The mean of each window of an image. Shapes: [batch, height, width, channels] → [batch, height', width', channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function averagePooling2d(options?: AveragePooling2DOptions): AveragePooling2D;
export function averagePooling2d(
  ...settings: Positions<AveragePooling2DOptions, ['poolSize', 'strides', 'padding']>
): AveragePooling2D;
export function averagePooling2d(...args: unknown[]): AveragePooling2D {
  return make(AveragePooling2D, args);
}
