/** @file UpSampling1D, UpSampling2D, UpSampling3D: sequences, images and volumes enlarged by whole factors. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { requireInteger, requireOneOf } from '../../../core/shape.ts';
import { perAxis } from '../../../core/windows.ts';
import { isSymbolic } from '../../../ops/recorders.ts';
import { type Interpolation, interpolations, resizeImages } from '../../../ops/resizeImages.ts';
import { expandDims } from '../../../ops/expandDims.ts';
import { repeat } from '../../../ops/repeat.ts';
import { upSampling2d as enlarged } from '../../../ops/resize.ts';
import { squeeze } from '../../../ops/squeeze.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';
import { type DataFormatOptions, type Pair, requireChannelsLast, type Triple } from '../base/dataFormat.ts';

/** Options of `upSampling1d`. */
export interface UpSampling1DOptions extends LayerOptions {
  /** Number of repetitions of each step. Default 2. */
  size?: number;
}

/** Options of `upSampling2d`. */
export interface UpSampling2DOptions extends LayerOptions, DataFormatOptions {
  /** Factors of height and width. Default 2. */
  size?: Pair;
  /** 'nearest' repeats pixels, the others interpolate them; 'area' repeats them, too. Default 'nearest'. */
  interpolation?: Interpolation;
}

/** Options of `upSampling3d`. */
export interface UpSampling3DOptions extends LayerOptions, DataFormatOptions {
  /** Factors of depth, height and width. Default 2. */
  size?: Triple;
}

/** The class of layers created by `upSampling1d`, which documents shapes, weights and errors. */
export class UpSampling1D extends Layer {
  static override readonly className: string = 'UpSampling1D';

  static override get optionNames(): OptionNames<UpSampling1DOptions> {
    return { size: true, ...layerOptionNames };
  }

  readonly size: number;

  constructor(options: UpSampling1DOptions = {}) {
    super(options);
    const { size = 2 } = options;
    requireInteger(this.name, 'size', size, 1);
    this.size = size;
    this.inputSpec = [{ rank: 3 }];
  }

  override call(x: Tensor): Tensor {
    const image = expandDims(x, { axis: 2 });
    return squeeze(enlarged(image, { size: [this.size, 1] }), { axis: 2 });
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), size: this.size };
  }
}

/** The class of layers created by `upSampling2d`, which documents shapes, weights and errors. */
export class UpSampling2D extends Layer {
  static override readonly className: string = 'UpSampling2D';

  static override get optionNames(): OptionNames<UpSampling2DOptions> {
    return { size: true, interpolation: false, dataFormat: false, ...layerOptionNames };
  }

  readonly size: readonly number[];
  readonly interpolation: Interpolation;
  readonly dataFormat = 'channelsLast';

  constructor(options: UpSampling2DOptions = {}) {
    super(options);
    const { size = 2, interpolation = 'nearest' } = options;
    this.size = perAxis(this.name, 'size', size, 2);
    requireOneOf(this.name, 'interpolation', interpolation, interpolations);
    requireChannelsLast(this.name, options.dataFormat);
    this.interpolation = interpolation;
    this.inputSpec = [{ rank: 4 }];
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

  override getConfig(): Record<string, unknown> {
    const { size, dataFormat, interpolation } = this;
    return { ...super.getConfig(), size, dataFormat, interpolation };
  }
}

/** The class of layers created by `upSampling3d`, which documents shapes and errors. */
export class UpSampling3D extends Layer {
  static override readonly className: string = 'UpSampling3D';

  static override get optionNames(): OptionNames<UpSampling3DOptions> {
    return { size: true, dataFormat: false, ...layerOptionNames };
  }

  readonly size: readonly number[];
  readonly dataFormat = 'channelsLast';

  constructor(options: UpSampling3DOptions = {}) {
    super(options);
    this.size = perAxis(this.name, 'size', options.size ?? 2, 3);
    requireChannelsLast(this.name, options.dataFormat);
    this.inputSpec = [{ rank: 5 }];
  }

  override call(x: Tensor): Tensor {
    return this.size.reduce((y, repeats, i) => repeat(y, { repeats, axis: i + 1 }), x);
  }

  override getConfig(): Record<string, unknown> {
    const { size, dataFormat } = this;
    return { ...super.getConfig(), size, dataFormat };
  }
}

/**
 * A sequence with each step repeated, of any dtype. Shapes: [batch, steps, channels] → [batch, steps · size, channels].
 * Errors: ValueError for `size`; ShapeError for inputs of another rank.
 */
export function upSampling1d(options?: UpSampling1DOptions): UpSampling1D;
export function upSampling1d(...settings: Positions<UpSampling1DOptions, ['size']>): UpSampling1D;
export function upSampling1d(...args: unknown[]): UpSampling1D {
  return make(UpSampling1D, args);
}

/**
 * An image enlarged by whole factors: pixels repeated, of any dtype, or interpolated by half-pixel centres, float32 (see
 * `resizeImages`).
 * Shapes: [batch, height, width, channels] → [batch, height · size[0], width · size[1], channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function upSampling2d(options?: UpSampling2DOptions): UpSampling2D;
export function upSampling2d(...settings: Positions<UpSampling2DOptions, ['size']>): UpSampling2D;
export function upSampling2d(...args: unknown[]): UpSampling2D {
  return make(UpSampling2D, args);
}

/**
 * A volume with each element repeated along the three spatial axes, of any dtype. Shapes: [batch, depth, height, width,
 * channels] → [batch, depth · size[0], height · size[1], width · size[2], channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function upSampling3d(options?: UpSampling3DOptions): UpSampling3D;
export function upSampling3d(...args: unknown[]): UpSampling3D {
  return make(UpSampling3D, args);
}
