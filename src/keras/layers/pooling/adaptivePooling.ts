/** @file Adaptive pools: a given number of windows along each axis, for any input size. */
import type { OpenShape } from '../../../core/shape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { adaptiveAveragePool, adaptiveMaxPool } from '../../ops/adaptivePool.ts';
import * as format from '../base/dataFormat.ts';
import { factoryOf, Layer, type LayerClass, layer, type LayerOptions, perAxisOf } from '../base/declare.ts';

interface AdaptivePoolingOptions<Size> extends LayerOptions, format.DataFormatOptions {
  /** Windows along each axis. */
  outputSize: Size;
}

/** Options of `adaptiveAveragePooling1d` and `adaptiveMaxPooling1d`. */
export type AdaptivePooling1DOptions = AdaptivePoolingOptions<format.Single>;
/** Options of `adaptiveAveragePooling2d` and `adaptiveMaxPooling2d`. */
export type AdaptivePooling2DOptions = AdaptivePoolingOptions<format.Pair>;
/** Options of `adaptiveAveragePooling3d` and `adaptiveMaxPooling3d`. */
export type AdaptivePooling3DOptions = AdaptivePoolingOptions<format.Triple>;

abstract class AdaptivePooling extends Layer {
  declare readonly outputSize: readonly number[];
  declare protected readonly pool: typeof adaptiveMaxPool;

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return [inputShape[0] ?? null, ...this.outputSize, inputShape.at(-1) ?? null];
  }

  override call(x: Tensor): Tensor {
    return this.pool(x, { outputSize: this.outputSize });
  }
}

type Pools<Size> = LayerClass<AdaptivePoolingOptions<Size>, AdaptivePooling>;

function pools<Size>(className: string, rank: 1 | 2 | 3, pool: typeof adaptiveMaxPool): Pools<Size> {
  const table = () => ({ outputSize: perAxisOf(rank) as never, dataFormat: format.dataFormat() });
  abstract class Pools extends AdaptivePooling {
    protected override inputSpec = [{ rank: rank + 2 }];
    protected override readonly pool = pool;
  }
  return layer<AdaptivePoolingOptions<Size>, AdaptivePooling>(className, table, Pools);
}

const means = <Size>(name: string, rank: 1 | 2 | 3) => pools<Size>(name, rank, adaptiveAveragePool);
const maxima = <Size>(name: string, rank: 1 | 2 | 3) => pools<Size>(name, rank, adaptiveMaxPool);

export class AdaptiveAveragePooling1D extends /* @__PURE__ */ means<format.Single>(
  'AdaptiveAveragePooling1D',
  1,
) {}
export class AdaptiveAveragePooling2D extends /* @__PURE__ */ means<format.Pair>(
  'AdaptiveAveragePooling2D',
  2,
) {}
export class AdaptiveAveragePooling3D extends /* @__PURE__ */ means<format.Triple>(
  'AdaptiveAveragePooling3D',
  3,
) {}
export class AdaptiveMaxPooling1D extends /* @__PURE__ */ maxima<format.Single>('AdaptiveMaxPooling1D', 1) {}
export class AdaptiveMaxPooling2D extends /* @__PURE__ */ maxima<format.Pair>('AdaptiveMaxPooling2D', 2) {}
export class AdaptiveMaxPooling3D extends /* @__PURE__ */ maxima<format.Triple>('AdaptiveMaxPooling3D', 3) {}

/**
 * The means of `outputSize` windows over a sequence; windows overlap where the size can't be divided evenly. Shapes:
 * [batch, steps, channels] → [batch, outputSize, channels]. Errors: ValueError for invalid options; ShapeError for another rank.
 */
export const adaptiveAveragePooling1d = /* @__PURE__ */ factoryOf(AdaptiveAveragePooling1D, ['outputSize']);

/**
 * The means of `outputSize` windows along each axis of an image; windows overlap where the size can't be divided evenly. Shapes:
 * [batch, height, width, channels] → [batch, ...outputSize, channels]. Errors: ValueError for invalid options; ShapeError for another rank.
 */
export const adaptiveAveragePooling2d = /* @__PURE__ */ factoryOf(AdaptiveAveragePooling2D, ['outputSize']);

/**
 * The means of `outputSize` windows along each axis of a volume; windows overlap where the size can't be divided evenly. Shapes:
 * [batch, depth, height, width, channels] → [batch, ...outputSize, channels]. Errors: ValueError for invalid options; ShapeError for another rank.
 */
export const adaptiveAveragePooling3d = /* @__PURE__ */ factoryOf(AdaptiveAveragePooling3D, ['outputSize']);

/**
 * The maxima of `outputSize` windows over a sequence; windows overlap where the size can't be divided evenly. Shapes:
 * [batch, steps, channels] → [batch, outputSize, channels]. Errors: ValueError for invalid options; ShapeError for another rank.
 */
export const adaptiveMaxPooling1d = /* @__PURE__ */ factoryOf(AdaptiveMaxPooling1D, ['outputSize']);

/**
 * The maxima of `outputSize` windows along each axis of an image; windows overlap where the size can't be divided evenly. Shapes:
 * [batch, height, width, channels] → [batch, ...outputSize, channels]. Errors: ValueError for invalid options; ShapeError for another rank.
 */
export const adaptiveMaxPooling2d = /* @__PURE__ */ factoryOf(AdaptiveMaxPooling2D, ['outputSize']);

/**
 * The maxima of `outputSize` windows along each axis of a volume; windows overlap where the size can't be divided evenly. Shapes:
 * [batch, depth, height, width, channels] → [batch, ...outputSize, channels]. Errors: ValueError for invalid options; ShapeError for another rank.
 */
export const adaptiveMaxPooling3d = /* @__PURE__ */ factoryOf(AdaptiveMaxPooling3D, ['outputSize']);
