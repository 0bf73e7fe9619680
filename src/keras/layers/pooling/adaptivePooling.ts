/** @file Adaptive pools: a given number of windows along each axis, for any input size. */
import { type DType, isFloating } from '../../../core/dtype.ts';
import type { OpenShape } from '../../../core/shape.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { adaptiveAveragePool, adaptiveMaxPool } from '../../ops/adaptivePool.ts';
import * as format from '../base/dataFormat.ts';
import { factoryOf, Layer, type LayerClass, layer, type LayerOptions, perAxisOf } from '../base/declare.ts';

type Rank = 1 | 2 | 3;

interface AdaptivePoolingOptions<R extends Rank> extends LayerOptions, format.DataFormatOptions {
  /** Windows along each axis. */
  outputSize: { 1: format.Single; 2: format.Pair; 3: format.Triple }[R];
}

/** Options of `adaptiveAveragePooling1d` and `adaptiveMaxPooling1d`. */
export type AdaptivePooling1DOptions = AdaptivePoolingOptions<1>;
/** Options of `adaptiveAveragePooling2d` and `adaptiveMaxPooling2d`. */
export type AdaptivePooling2DOptions = AdaptivePoolingOptions<2>;
/** Options of `adaptiveAveragePooling3d` and `adaptiveMaxPooling3d`. */
export type AdaptivePooling3DOptions = AdaptivePoolingOptions<3>;

abstract class AdaptivePooling extends Layer {
  declare readonly outputSize: readonly number[];
  declare protected readonly pool: typeof adaptiveMaxPool;

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return [inputShape[0] ?? null, ...this.outputSize, inputShape.at(-1) ?? null];
  }

  protected override get roundsResults(): boolean {
    return false;
  }

  protected override outputDType([input]: readonly OpenSpec[]): DType {
    const { dtype } = input as OpenSpec;
    return this.pool === adaptiveMaxPool || isFloating(dtype) ? dtype : 'float32';
  }

  override call(x: Tensor): Tensor {
    return this.pool(x, { outputSize: this.outputSize });
  }
}

type Pools<R extends Rank> = LayerClass<AdaptivePoolingOptions<R>, AdaptivePooling>;

function pools<R extends Rank>(className: string, rank: R, pool: typeof adaptiveMaxPool): Pools<R> {
  const table = () => ({ outputSize: perAxisOf(rank) as never, dataFormat: format.dataFormat() });
  abstract class Pools extends AdaptivePooling {
    protected override inputSpec = [{ rank: rank + 2 }];
    protected override readonly pool = pool;
  }
  return layer<AdaptivePoolingOptions<R>, AdaptivePooling>(className, table, Pools);
}

const means = <R extends Rank>(name: string, rank: R) => pools(name, rank, adaptiveAveragePool);
const maxima = <R extends Rank>(name: string, rank: R) => pools(name, rank, adaptiveMaxPool);

export class AdaptiveAveragePooling1D extends /* @__PURE__ */ means('AdaptiveAveragePooling1D', 1) {}
export class AdaptiveAveragePooling2D extends /* @__PURE__ */ means('AdaptiveAveragePooling2D', 2) {}
export class AdaptiveAveragePooling3D extends /* @__PURE__ */ means('AdaptiveAveragePooling3D', 3) {}
export class AdaptiveMaxPooling1D extends /* @__PURE__ */ maxima('AdaptiveMaxPooling1D', 1) {}
export class AdaptiveMaxPooling2D extends /* @__PURE__ */ maxima('AdaptiveMaxPooling2D', 2) {}
export class AdaptiveMaxPooling3D extends /* @__PURE__ */ maxima('AdaptiveMaxPooling3D', 3) {}

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
