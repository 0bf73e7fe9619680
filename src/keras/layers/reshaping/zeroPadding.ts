/** @file ZeroPadding1D, ZeroPadding2D, ZeroPadding3D: zeros around sequences, images and volumes. */
import { pad } from '../../../ops/arrangement/pad.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { dataFormat, type DataFormatOptions } from '../base/dataFormat.ts';
import { type Sides, sidesOfImage, sidesOfSequence, sidesOfVolume } from './edgeSizes.ts';
import { checked, factoryOf, type InputSpec, layer, type LayerOptions } from '../base/declare.ts';

export interface ZeroPadding1DOptions extends LayerOptions, DataFormatOptions {
  /** Steps to add at both ends, or [before, after]. Default 1. */
  padding?: number | readonly [number, number];
}

export interface ZeroPadding2DOptions extends LayerOptions, DataFormatOptions {
  /** Pixels to add: on all sides, [above and below, left and right], or [[top, bottom], [left, right]]. Default 1. */
  padding?:
    | number
    | readonly [number, number]
    | readonly [readonly [number, number], readonly [number, number]];
}

export interface ZeroPadding3DOptions extends LayerOptions, DataFormatOptions {
  /** Elements to add: on all sides, on both sides of each axis, or [before, after] of each. Default 1. */
  padding?: number | readonly [number, number, number] | readonly [Sides, Sides, Sides];
}

export class ZeroPadding1D extends /* @__PURE__ */ layer<ZeroPadding1DOptions>('ZeroPadding1D', () => ({
  padding: checked(sidesOfSequence, 1),
  dataFormat: dataFormat(),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];

  override call(x: Tensor): Tensor {
    return pad(x, { paddings: [[0, 0], this.padding, [0, 0]] });
  }
}

export class ZeroPadding2D extends /* @__PURE__ */ layer<ZeroPadding2DOptions>('ZeroPadding2D', () => ({
  padding: checked(sidesOfImage, 1) as never,
  dataFormat: dataFormat(),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 4 }];

  override call(x: Tensor): Tensor {
    return pad(x, { paddings: [[0, 0], ...this.padding, [0, 0]] });
  }
}

export class ZeroPadding3D extends /* @__PURE__ */ layer<ZeroPadding3DOptions>('ZeroPadding3D', () => ({
  padding: checked(sidesOfVolume, 1) as never,
  dataFormat: dataFormat(),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 5 }];

  override call(x: Tensor): Tensor {
    return pad(x, { paddings: [[0, 0], ...this.padding, [0, 0]] });
  }
}

/**
 * Zeros at the ends of a sequence, of any dtype. Shapes: [batch, steps, channels] → [batch, steps + padding, channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const zeroPadding1d = /* @__PURE__ */ factoryOf(ZeroPadding1D, ['padding']);

/**
 * Zeros around an image, of any dtype. Shapes: [batch, height, width, channels] → [batch, top + height + bottom, left +
 * width + right, channels]. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const zeroPadding2d = /* @__PURE__ */ factoryOf(ZeroPadding2D, ['padding']);

/**
 * Zeros around a volume, of any dtype. Shapes: [batch, depth, height, width, channels] → the same, with larger spatial axes.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const zeroPadding3d = /* @__PURE__ */ factoryOf(ZeroPadding3D);
