/** @file AveragePooling1D, AveragePooling2D: the mean of each window, without its padding. */
import { Pooling, type PoolingOptions, poolingTable } from './basePooling.ts';
import { avgPool, avgPool1d } from '../../../ops/pooling/avgPool.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Pair, Single } from '../base/dataFormat.ts';
import { factoryOf, layer } from '../base/declare.ts';

export type AveragePooling1DOptions = PoolingOptions<Single>;
export type AveragePooling2DOptions = PoolingOptions<Pair>;

export class AveragePooling1D extends /* @__PURE__ */ layer<AveragePooling1DOptions, Pooling>(
  'AveragePooling1D',
  () => poolingTable(1),
  Pooling,
) {
  override call(x: Tensor): Tensor {
    return avgPool1d(x, this.windows);
  }
}

export class AveragePooling2D extends /* @__PURE__ */ layer<AveragePooling2DOptions, Pooling>(
  'AveragePooling2D',
  () => poolingTable(2),
  Pooling,
) {
  override call(x: Tensor): Tensor {
    return avgPool(x, this.windows);
  }
}

/**
 * The mean of each window of a sequence. Shapes: [batch, steps, channels] → [batch, steps', channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const averagePooling1d = /* @__PURE__ */ factoryOf(AveragePooling1D, [
  'poolSize',
  'strides',
  'padding',
]);

/**
 * The mean of each window of an image. Shapes: [batch, height, width, channels] → [batch, height', width', channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const averagePooling2d = /* @__PURE__ */ factoryOf(AveragePooling2D, [
  'poolSize',
  'strides',
  'padding',
]);
