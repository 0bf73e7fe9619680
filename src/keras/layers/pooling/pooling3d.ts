/** @file MaxPooling3D, AveragePooling3D: the largest value and the mean of each window of a volume. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { avgPool3d, maxPool3d } from '../../../ops/pool3d.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Triple } from '../base/dataFormat.ts';
import { make } from '../base/layerOptions.ts';
import { Pooling, poolingOptionNames, type PoolingOptions } from './basePooling.ts';

/** Options of `maxPooling3d` and `averagePooling3d`. */
export type Pooling3DOptions = PoolingOptions<Triple>;

/** The class of layers created by `maxPooling3d`, which documents shapes and errors. */
export class MaxPooling3D extends Pooling {
  static override readonly className: string = 'MaxPooling3D';

  static override get optionNames(): OptionNames<Pooling3DOptions> {
    return poolingOptionNames;
  }

  constructor(options?: Pooling3DOptions) {
    super(3, options);
  }

  override call(x: Tensor): Tensor {
    return maxPool3d(x, this.windows);
  }
}

/**
 * The largest value of each window of a volume. Shapes: [batch, depth, height, width, channels] → [batch, depth', height',
 * width', channels]. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function maxPooling3d(options?: Pooling3DOptions): MaxPooling3D;
export function maxPooling3d(
  ...settings: Positions<Pooling3DOptions, ['poolSize', 'strides', 'padding']>
): MaxPooling3D;
export function maxPooling3d(...args: unknown[]): MaxPooling3D {
  return make(MaxPooling3D, args);
}

/** The class of layers created by `averagePooling3d`, which documents shapes and errors. */
export class AveragePooling3D extends Pooling {
  static override readonly className: string = 'AveragePooling3D';

  static override get optionNames(): OptionNames<Pooling3DOptions> {
    return poolingOptionNames;
  }

  constructor(options?: Pooling3DOptions) {
    super(3, options);
  }

  override call(x: Tensor): Tensor {
    return avgPool3d(x, this.windows);
  }
}

/**
 * The mean of each window of a volume. Shapes: [batch, depth, height, width, channels] → [batch, depth', height', width',
 * channels]. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function averagePooling3d(options?: Pooling3DOptions): AveragePooling3D;
export function averagePooling3d(
  ...settings: Positions<Pooling3DOptions, ['poolSize', 'strides', 'padding']>
): AveragePooling3D;
export function averagePooling3d(...args: unknown[]): AveragePooling3D {
  return make(AveragePooling3D, args);
}
