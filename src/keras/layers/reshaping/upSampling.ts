/** @file UpSampling1D, UpSampling2D, UpSampling3D: sequences, images and volumes enlarged by whole factors. */
import { isSymbolic } from '../../../ops/define/recorders.ts';
import { type Interpolation, interpolations, resizeImages } from '../../../ops/images/resizeImages.ts';
import { expandDims, squeeze } from '../../../ops/arrangement/expandDims.ts';
import { repeat } from '../../../ops/arrangement/repeat.ts';
import { upSampling2d as enlarged } from '../../../ops/images/resize.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { dataFormat, type DataFormatOptions, type Pair, type Triple } from '../base/dataFormat.ts';
import {
  factoryOf,
  type InputSpec,
  integer,
  layer,
  type LayerOptions,
  oneOf,
  perAxisOf,
} from '../base/declare.ts';

export interface UpSampling1DOptions extends LayerOptions {
  /** Number of repetitions of each step. Default 2. */
  size?: number;
}

export interface UpSampling2DOptions extends LayerOptions, DataFormatOptions {
  /** Factors of height and width. Default 2. */
  size?: Pair;
  /** 'nearest' repeats pixels, the others interpolate them; 'area' repeats them, too. Default 'nearest'. */
  interpolation?: Interpolation;
}

export interface UpSampling3DOptions extends LayerOptions, DataFormatOptions {
  /** Factors of depth, height and width. Default 2. */
  size?: Triple;
}

export class UpSampling1D extends /* @__PURE__ */ layer<UpSampling1DOptions>('UpSampling1D', () => ({
  size: integer({ default: 2 }),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 3 }];

  override call(x: Tensor): Tensor {
    const image = expandDims(x, { axis: 2 });
    return squeeze(enlarged(image, { size: [this.size, 1] }), { axis: 2 });
  }
}

export class UpSampling2D extends /* @__PURE__ */ layer<UpSampling2DOptions>('UpSampling2D', () => ({
  size: perAxisOf(2, 2),
  interpolation: oneOf(interpolations, 'nearest'),
  dataFormat: dataFormat(),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 4 }];

  /** @internal */
  override needsFloats(): boolean {
    return this.interpolation !== 'nearest';
  }

  override call(x: Tensor): Tensor {
    const { size, interpolation } = this;
    if (interpolation === 'nearest' || interpolation === 'bilinear')
      return enlarged(x, { size, interpolation });
    // The size of a symbolic image may be open. The spec of the result is the same for all interpolations of floats.
    if (isSymbolic(x)) return enlarged(x, { size, interpolation: 'bilinear' });
    const [, height, width] = x.shape as [number, number, number];
    const [down, across] = size as [number, number];
    return resizeImages(x, { size: [height * down, width * across], interpolation });
  }
}

export class UpSampling3D extends /* @__PURE__ */ layer<UpSampling3DOptions>('UpSampling3D', () => ({
  size: perAxisOf(3, 2),
  dataFormat: dataFormat(),
})) {
  protected override inputSpec: readonly InputSpec[] = [{ rank: 5 }];

  override call(x: Tensor): Tensor {
    return this.size.reduce((y, repeats, i) => repeat(y, { repeats, axis: i + 1 }), x);
  }
}

/**
 * A sequence with each step repeated, of any dtype. Shapes: [batch, steps, channels] → [batch, steps · size, channels].
 * Errors: ValueError for `size`; ShapeError for inputs of another rank.
 */
export const upSampling1d = /* @__PURE__ */ factoryOf(UpSampling1D, ['size']);

/**
 * An image enlarged by whole factors: pixels repeated, of any dtype, or interpolated by half-pixel centres, float32 (see
 * `resizeImages`).
 * Shapes: [batch, height, width, channels] → [batch, height · size[0], width · size[1], channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const upSampling2d = /* @__PURE__ */ factoryOf(UpSampling2D, ['size']);

/**
 * A volume with each element repeated along the three spatial axes, of any dtype. Shapes: [batch, depth, height, width,
 * channels] → [batch, depth · size[0], height · size[1], width · size[2], channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export const upSampling3d = /* @__PURE__ */ factoryOf(UpSampling3D);
