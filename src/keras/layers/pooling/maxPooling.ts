/** @file MaxPooling1D, MaxPooling2D: the largest value of each window. */
import { Pooling, type PoolingOptions, poolingTable } from './basePooling.ts';
import { maxPool, maxPool1d } from '../../../ops/pooling/maxPool.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Pair, Single } from '../base/dataFormat.ts';
import { factoryOf, layer } from '../base/declare.ts';

export type MaxPooling1DOptions = PoolingOptions<Single>;
export type MaxPooling2DOptions = PoolingOptions<Pair>;

export class MaxPooling1D extends /* @__PURE__ */ layer<MaxPooling1DOptions, Pooling>(
  'MaxPooling1D',
  () => poolingTable(1),
  Pooling,
) {
  override call(x: Tensor): Tensor {
    return maxPool1d(x, this.windows);
  }
}

export class MaxPooling2D extends /* @__PURE__ */ layer<MaxPooling2DOptions, Pooling>(
  'MaxPooling2D',
  () => poolingTable(2),
  Pooling,
) {
  override call(x: Tensor): Tensor {
    return maxPool(x, this.windows);
  }
}

/**
 * The largest value of each window of a sequence. Shapes: [batch, steps, channels] → [batch, steps', channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const maxPooling1d = /* @__PURE__ */ factoryOf(MaxPooling1D, ['poolSize', 'strides', 'padding']);

/**
 * The largest value of each window of an image. Shapes: [batch, height, width, channels] → [batch, height', width',
 * channels]. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const maxPooling2d = /* @__PURE__ */ factoryOf(MaxPooling2D, ['poolSize', 'strides', 'padding']);
