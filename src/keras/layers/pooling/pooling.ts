/** @file Pooling layers: the largest value of each window of a sequence, an image or a volume, or the mean, without padding. */
import {
  dataFormat,
  type DataFormatOptions,
  type Pair,
  type Single,
  type Triple,
} from '../base/dataFormat.ts';
import { factoryOf, Layer, layer, type LayerOptions, oneOf, perAxisOf } from '../base/declare.ts';
import { perAxis } from '../../../core/windows.ts';
import type { OptionPlace } from '../../options/option.ts';
import { maxPool, maxPool1d } from '../../../ops/pooling/maxPool.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { avgPool, avgPool1d } from '../../../ops/pooling/avgPool.ts';
import { avgPool3d, maxPool3d } from '../../../ops/pooling/pool3d.ts';

/** `Size` is a number, or one per axis. */
export interface PoolingOptions<Size> extends LayerOptions, DataFormatOptions {
  /** Size of a window along each axis, or one number for all axes. Default 2. */
  poolSize?: Size;
  /** Steps from one window to the next, along each axis. Default: `poolSize`, so that windows touch. */
  strides?: Size | null;
  /** 'valid' takes whole windows only; 'same' pads, so that the result has ceil(size / stride) positions. Default 'valid'. */
  padding?: 'valid' | 'same';
}

/** The table of pools along `rank` axes. */
export const poolingTable = <R extends 1 | 2 | 3>(rank: R) => ({
  poolSize: perAxisOf(rank, 2),
  strides: {
    read: (given: unknown, { op, what, values }: OptionPlace) =>
      perAxis(op, what, given ?? values.poolSize, rank),
  },
  padding: oneOf(['valid', 'same'], 'valid'),
  dataFormat: dataFormat(),
});

export abstract class Pooling extends Layer {
  declare readonly poolSize: readonly number[];
  declare readonly strides: readonly number[];
  declare readonly padding: 'valid' | 'same';

  constructor(options?: LayerOptions) {
    super(options);
    this.inputSpec = [{ rank: this.poolSize.length + 2 }];
  }

  /** Options of the pooling ops. */
  protected get windows() {
    const { poolSize, strides, padding } = this;
    return { poolSize, strides, padding };
  }
}

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

export type AveragePooling1DOptions = PoolingOptions<Single>;
export type AveragePooling2DOptions = PoolingOptions<Pair>;

export class AveragePooling1D extends /* @__PURE__ */ layer<AveragePooling1DOptions, Pooling>(
  'AveragePooling1D',
  () => poolingTable(1),
  Pooling,
) {
  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  override call(x: Tensor): Tensor {
    return avgPool1d(x, this.windows);
  }
}

export class AveragePooling2D extends /* @__PURE__ */ layer<AveragePooling2DOptions, Pooling>(
  'AveragePooling2D',
  () => poolingTable(2),
  Pooling,
) {
  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

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
  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

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
