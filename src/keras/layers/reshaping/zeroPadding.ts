/** @file ZeroPadding1D, ZeroPadding2D, ZeroPadding3D: zeros around sequences, images and volumes. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { pad } from '../../../ops/slice.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';
import { type DataFormatOptions, requireChannelsLast } from '../base/dataFormat.ts';
import { type Sides, sidesOfImage, sidesOfSequence, sidesOfVolume } from './edgeSizes.ts';

/** Options of `zeroPadding1d`. */
export interface ZeroPadding1DOptions extends LayerOptions, DataFormatOptions {
  /** Steps to add at both ends, or [before, after]. Default 1. */
  padding?: number | readonly [number, number];
}

/** Options of `zeroPadding2d`. */
export interface ZeroPadding2DOptions extends LayerOptions, DataFormatOptions {
  /** Pixels to add: on all sides, [above and below, left and right], or [[top, bottom], [left, right]]. Default 1. */
  padding?:
    | number
    | readonly [number, number]
    | readonly [readonly [number, number], readonly [number, number]];
}

/** Options of `zeroPadding3d`. */
export interface ZeroPadding3DOptions extends LayerOptions, DataFormatOptions {
  /** Elements to add: on all sides, on both sides of each axis, or [before, after] of each. Default 1. */
  padding?: number | readonly [number, number, number] | readonly [Sides, Sides, Sides];
}

/** The class of layers created by `zeroPadding1d`, which documents shapes, weights and errors. */
export class ZeroPadding1D extends Layer {
  static override readonly className: string = 'ZeroPadding1D';

  static override get optionNames(): OptionNames<ZeroPadding1DOptions> {
    return { padding: true, dataFormat: false, ...layerOptionNames };
  }

  readonly padding: readonly [number, number];
  readonly dataFormat = 'channelsLast';

  constructor(options: ZeroPadding1DOptions = {}) {
    super(options);
    this.padding = sidesOfSequence(this.name, 'padding', options.padding ?? 1);
    requireChannelsLast(this.name, options.dataFormat);
    this.inputSpec = [{ rank: 3 }];
  }

  override call(x: Tensor): Tensor {
    return pad(x, { paddings: [[0, 0], this.padding, [0, 0]] });
  }

  override getConfig(): Record<string, unknown> {
    const { padding, dataFormat } = this;
    return { ...super.getConfig(), padding, dataFormat };
  }
}

/** The class of layers created by `zeroPadding2d`, which documents shapes, weights and errors. */
export class ZeroPadding2D extends Layer {
  static override readonly className: string = 'ZeroPadding2D';

  static override get optionNames(): OptionNames<ZeroPadding2DOptions> {
    return { padding: true, dataFormat: false, ...layerOptionNames };
  }

  readonly padding: readonly [readonly [number, number], readonly [number, number]];
  readonly dataFormat = 'channelsLast';

  constructor(options: ZeroPadding2DOptions = {}) {
    super(options);
    this.padding = sidesOfImage(this.name, 'padding', options.padding ?? 1);
    requireChannelsLast(this.name, options.dataFormat);
    this.inputSpec = [{ rank: 4 }];
  }

  override call(x: Tensor): Tensor {
    return pad(x, { paddings: [[0, 0], ...this.padding, [0, 0]] });
  }

  override getConfig(): Record<string, unknown> {
    const { padding, dataFormat } = this;
    return { ...super.getConfig(), padding, dataFormat };
  }
}

/** The class of layers created by `zeroPadding3d`, which documents shapes and errors. */
export class ZeroPadding3D extends Layer {
  static override readonly className: string = 'ZeroPadding3D';

  static override get optionNames(): OptionNames<ZeroPadding3DOptions> {
    return { padding: true, dataFormat: false, ...layerOptionNames };
  }

  readonly padding: readonly Sides[];
  readonly dataFormat = 'channelsLast';

  constructor(options: ZeroPadding3DOptions = {}) {
    super(options);
    this.padding = sidesOfVolume(this.name, 'padding', options.padding ?? 1);
    requireChannelsLast(this.name, options.dataFormat);
    this.inputSpec = [{ rank: 5 }];
  }

  override call(x: Tensor): Tensor {
    return pad(x, { paddings: [[0, 0], ...this.padding, [0, 0]] });
  }

  override getConfig(): Record<string, unknown> {
    const { padding, dataFormat } = this;
    return { ...super.getConfig(), padding, dataFormat };
  }
}

/**
 * Zeros at the ends of a sequence, of any dtype. Shapes: [batch, steps, channels] → [batch, steps + padding, channels].
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function zeroPadding1d(options?: ZeroPadding1DOptions): ZeroPadding1D;
export function zeroPadding1d(...settings: Positions<ZeroPadding1DOptions, ['padding']>): ZeroPadding1D;
export function zeroPadding1d(...args: unknown[]): ZeroPadding1D {
  return make(ZeroPadding1D, args);
}

/**
 * Zeros around an image, of any dtype. Shapes: [batch, height, width, channels] → [batch, top + height + bottom, left +
 * width + right, channels]. Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function zeroPadding2d(options?: ZeroPadding2DOptions): ZeroPadding2D;
export function zeroPadding2d(...settings: Positions<ZeroPadding2DOptions, ['padding']>): ZeroPadding2D;
export function zeroPadding2d(...args: unknown[]): ZeroPadding2D {
  return make(ZeroPadding2D, args);
}

/**
 * Zeros around a volume, of any dtype. Shapes: [batch, depth, height, width, channels] → the same, with larger spatial axes.
 * Errors: ValueError for invalid options; ShapeError for inputs of another rank.
 */
export function zeroPadding3d(options?: ZeroPadding3DOptions): ZeroPadding3D;
export function zeroPadding3d(...args: unknown[]): ZeroPadding3D {
  return make(ZeroPadding3D, args);
}
