/** @file MaxPooling3D, AveragePooling3D: the largest value and the mean of each window of a volume. */
import { avgPool3d, maxPool3d } from '../../../ops/pooling/pool3d.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Triple } from '../base/dataFormat.ts';
import { Pooling, type PoolingOptions, poolingTable } from './basePooling.ts';
import { factoryOf, layer } from '../base/declare.ts';

/** Options of `maxPooling3d` and `averagePooling3d`. */
export type Pooling3DOptions = PoolingOptions<Triple>;

export class MaxPooling3D extends /* @__PURE__ */ layer<Pooling3DOptions, Pooling>(
  'MaxPooling3D',
  () => poolingTable(3),
  Pooling,
) {
  override call(x: Tensor): Tensor {
    return maxPool3d(x, this.windows);
  }
}

/**
 * The largest value of each window of a volume. Shapes: [batch, depth, height, width, channels] → [batch, depth', height',
 * width', channels]. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const maxPooling3d = /* @__PURE__ */ factoryOf(MaxPooling3D, ['poolSize', 'strides', 'padding']);

export class AveragePooling3D extends /* @__PURE__ */ layer<Pooling3DOptions, Pooling>(
  'AveragePooling3D',
  () => poolingTable(3),
  Pooling,
) {
  override call(x: Tensor): Tensor {
    return avgPool3d(x, this.windows);
  }
}

/**
 * The mean of each window of a volume. Shapes: [batch, depth, height, width, channels] → [batch, depth', height', width',
 * channels]. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const averagePooling3d = /* @__PURE__ */ factoryOf(AveragePooling3D, [
  'poolSize',
  'strides',
  'padding',
]);
