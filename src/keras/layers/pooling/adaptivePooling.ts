/** @file Adaptive pools: a given number of windows along each axis, for any input size. */
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { adaptiveAveragePool, adaptiveMaxPool } from '../../ops/adaptivePool.ts';
import {
  dataFormat,
  type DataFormatOptions,
  type Pair,
  type Single,
  type Triple,
} from '../base/dataFormat.ts';
import { checked, factoryOf, Layer, layer, type LayerOptions } from '../base/declare.ts';

interface AdaptivePoolingOptions<Size> extends LayerOptions, DataFormatOptions {
  /** Windows along each axis. */
  outputSize: Size;
}

/** Options of `adaptiveAveragePooling1d` and `adaptiveMaxPooling1d`. */
export type AdaptivePooling1DOptions = AdaptivePoolingOptions<Single>;
/** Options of `adaptiveAveragePooling2d` and `adaptiveMaxPooling2d`. */
export type AdaptivePooling2DOptions = AdaptivePoolingOptions<Pair>;
/** Options of `adaptiveAveragePooling3d` and `adaptiveMaxPooling3d`. */
export type AdaptivePooling3DOptions = AdaptivePoolingOptions<Triple>;

const table = (rank: number) => ({
  outputSize: checked((op, what, size) => sizesOf(op, what, size, rank) as never),
  dataFormat: dataFormat(),
});

abstract class AdaptivePooling extends Layer {
  declare readonly outputSize: readonly number[];

  constructor(given: LayerOptions) {
    super(given);
    this.inputSpec = [{ rank: this.outputSize.length + 2 }];
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return [inputShape[0] ?? null, ...this.outputSize, inputShape.at(-1) ?? null];
  }
}

abstract class AdaptiveMean extends AdaptivePooling {
  override call(x: Tensor): Tensor {
    return adaptiveAveragePool(x, { outputSize: this.outputSize });
  }
}

abstract class AdaptiveMax extends AdaptivePooling {
  override call(x: Tensor): Tensor {
    return adaptiveMaxPool(x, { outputSize: this.outputSize });
  }
}

function sizesOf(op: string, what: string, given: unknown, rank: number): readonly number[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : new Array(rank).fill(given);
  if (list.length === rank && list.every((n) => Number.isInteger(n) && (n as number) >= 1)) {
    return list as readonly number[];
  }
  throw new ValueError({
    op,
    rule: `\`${what}\` is a positive integer${rank === 1 ? '' : `, or a list of ${rank} of them`}.`,
    received: `${what}: ${describe(given)}`,
    hint: 'pass 4 for four windows along each axis.',
  });
}

export class AdaptiveAveragePooling1D extends /* @__PURE__ */ layer<AdaptivePooling1DOptions, AdaptiveMean>(
  'AdaptiveAveragePooling1D',
  () => table(1),
  AdaptiveMean,
) {}

/**
 * The means of `outputSize` windows over a sequence; windows overlap where the steps can't be divided evenly. Shapes: [batch,
 * steps, channels] → [batch, outputSize, channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const adaptiveAveragePooling1d = /* @__PURE__ */ factoryOf(AdaptiveAveragePooling1D, ['outputSize']);

export class AdaptiveAveragePooling2D extends /* @__PURE__ */ layer<AdaptivePooling2DOptions, AdaptiveMean>(
  'AdaptiveAveragePooling2D',
  () => table(2),
  AdaptiveMean,
) {}

/**
 * The means of windows over an image, `outputSize` along each axis; windows overlap where the size can't be divided evenly.
 * Shapes: [batch, height, width, channels] → [batch, rows, columns, channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const adaptiveAveragePooling2d = /* @__PURE__ */ factoryOf(AdaptiveAveragePooling2D, ['outputSize']);

export class AdaptiveMaxPooling1D extends /* @__PURE__ */ layer<AdaptivePooling1DOptions, AdaptiveMax>(
  'AdaptiveMaxPooling1D',
  () => table(1),
  AdaptiveMax,
) {}

/**
 * The maxima of `outputSize` windows over a sequence. Shapes: as `adaptiveAveragePooling1d`.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const adaptiveMaxPooling1d = /* @__PURE__ */ factoryOf(AdaptiveMaxPooling1D, ['outputSize']);

export class AdaptiveMaxPooling2D extends /* @__PURE__ */ layer<AdaptivePooling2DOptions, AdaptiveMax>(
  'AdaptiveMaxPooling2D',
  () => table(2),
  AdaptiveMax,
) {}

/**
 * The maxima of windows over an image, `outputSize` along each axis. Shapes: as `adaptiveAveragePooling2d`.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const adaptiveMaxPooling2d = /* @__PURE__ */ factoryOf(AdaptiveMaxPooling2D, ['outputSize']);

export class AdaptiveAveragePooling3D extends /* @__PURE__ */ layer<AdaptivePooling3DOptions, AdaptiveMean>(
  'AdaptiveAveragePooling3D',
  () => table(3),
  AdaptiveMean,
) {}

/**
 * The mean of each of `outputSize` windows along the axes of a volume, which share it evenly. Shapes: [batch, depth, height,
 * width, channels] → [batch, ...outputSize, channels]. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const adaptiveAveragePooling3d = /* @__PURE__ */ factoryOf(AdaptiveAveragePooling3D, ['outputSize']);

export class AdaptiveMaxPooling3D extends /* @__PURE__ */ layer<AdaptivePooling3DOptions, AdaptiveMax>(
  'AdaptiveMaxPooling3D',
  () => table(3),
  AdaptiveMax,
) {}

/**
 * The largest value of each of `outputSize` windows along the axes of a volume, which share it evenly. Shapes: [batch, depth,
 * height, width, channels] → [batch, ...outputSize, channels]. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const adaptiveMaxPooling3d = /* @__PURE__ */ factoryOf(AdaptiveMaxPooling3D, ['outputSize']);
