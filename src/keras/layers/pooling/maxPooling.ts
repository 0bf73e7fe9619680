/** @file MaxPooling1D, MaxPooling2D: the largest value of each window. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { make } from '../base/layerOptions.ts';
import { Pooling, poolingOptionNames, type PoolingOptions } from './basePooling.ts';
import { maxPool, maxPool1d } from '../../../ops/maxPool.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Pair, Single } from '../base/dataFormat.ts';

/** Options of `maxPooling1d`. */
export type MaxPooling1DOptions = PoolingOptions<Single>;
/** Options of `maxPooling2d`. */
export type MaxPooling2DOptions = PoolingOptions<Pair>;

/** The class of layers created by `maxPooling1d`, which documents shapes, weights and errors. */
export class MaxPooling1D extends Pooling {
  static override readonly className: string = 'MaxPooling1D';

  static override get optionNames(): OptionNames<MaxPooling1DOptions> {
    return poolingOptionNames;
  }

  constructor(options?: MaxPooling1DOptions) {
    super(1, options);
  }

  override call(x: Tensor): Tensor {
    return maxPool1d(x, this.windows);
  }
}

/** The class of layers created by `maxPooling2d`, which documents shapes, weights and errors. */
export class MaxPooling2D extends Pooling {
  static override readonly className: string = 'MaxPooling2D';

  static override get optionNames(): OptionNames<MaxPooling2DOptions> {
    return poolingOptionNames;
  }

  constructor(options?: MaxPooling2DOptions) {
    super(2, options);
  }

  override call(x: Tensor): Tensor {
    return maxPool(x, this.windows);
  }
}

/**
 * The largest value of each window of a sequence. Shapes: [batch, steps, channels] → [batch, steps', channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function maxPooling1d(options?: MaxPooling1DOptions): MaxPooling1D;
export function maxPooling1d(
  ...settings: Positions<MaxPooling1DOptions, ['poolSize', 'strides', 'padding']>
): MaxPooling1D;
export function maxPooling1d(...args: unknown[]): MaxPooling1D {
  return make(MaxPooling1D, args);
}

/**
 * The largest value of each window of an image. Shapes: [batch, height, width, channels] → [batch, height', width',
 * channels]. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function maxPooling2d(options?: MaxPooling2DOptions): MaxPooling2D;
export function maxPooling2d(
  ...settings: Positions<MaxPooling2DOptions, ['poolSize', 'strides', 'padding']>
): MaxPooling2D;
export function maxPooling2d(...args: unknown[]): MaxPooling2D {
  return make(MaxPooling2D, args);
}
