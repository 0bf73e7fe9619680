/** @file Resizing, CenterCrop: images of one size. */
import type { Positions } from '../../../core/options.ts';
import type { DType } from '../../../core/dtype.ts';
import type { OptionNames } from '../../../core/options.ts';
import { oneOf, requireBoolean, requireFinite, requireInteger } from '../../../core/shape.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import { ValueError } from '../../../core/errors.ts';
import { cast } from '../../../ops/cast.ts';
import { resizeBilinear, resizeNearest } from '../../../ops/resize.ts';
import { round } from '../../../ops/rounding.ts';
import { pad, slice } from '../../../ops/slice.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import { asFloats, ImageLayer, type ImageLayerOptions } from './imageLayer.ts';

/** Options of `centerCrop`. */
export interface CenterCropOptions extends ImageLayerOptions {
  /** Rows of the result. */
  height: number;
  /** Columns of the result. */
  width: number;
}

/** Options of `resizing`. */
export interface ResizingOptions extends CenterCropOptions {
  /** How a pixel comes from its neighbours: 'bilinear' or 'nearest'. Default 'bilinear'. */
  interpolation?: 'bilinear' | 'nearest';
  /** Whether the largest part in the middle that has the ratio of the result is resized. Default false. */
  cropToAspectRatio?: boolean;
  /** Whether images are padded to the ratio of the result first. Default false. */
  padToAspectRatio?: boolean;
  /** How they are padded: with `fillValue`. Default 'constant'. */
  fillMode?: 'constant';
  /** Value of the pixels that `padToAspectRatio` adds. Default 0. */
  fillValue?: number;
  /** Must be false: images that shrink aren't smoothed before. */
  antialias?: false;
}

interface Size {
  height: number;
  width: number;
}

const sizeOf = (images: Tensor): Size => ({
  height: images.shape[1] as number,
  width: images.shape[2] as number,
});

/** The part of `images` in the middle, of that size. */
export function centered(images: Tensor, { height, width }: Size): Tensor {
  const given = sizeOf(images);
  const begin = [0, Math.trunc((given.height - height) / 2), Math.trunc((given.width - width) / 2), 0];
  return slice(images, { begin, size: [-1, height, width, -1] });
}

/** The largest part in the middle that has the ratio of `size`. */
function withRatio(images: Tensor, size: Size): Tensor {
  const { height, width } = sizeOf(images);
  const within = (n: number, most: number) => Math.max(1, Math.min(most, Math.trunc(n)));
  return centered(images, {
    height: within((width * size.height) / size.width, height),
    width: within((height * size.width) / size.height, width),
  });
}

/** Resized, after a cut to the ratio of `size`. */
export function smartlyResized(images: Tensor, size: Size): Tensor {
  return resizeBilinear(withRatio(asFloats(images), size), { size: [size.height, size.width] });
}

/** The images in the middle of larger ones that have the ratio of `size`. */
function padded(images: Tensor, size: Size, constantValue: number): Tensor {
  const { height, width } = sizeOf(images);
  const rows = Math.max(height, Math.trunc((width * size.height) / size.width)) - height;
  const columns = Math.max(width, Math.trunc((height * size.width) / size.height)) - width;
  const around = (n: number): [number, number] => [Math.trunc(n / 2), n - Math.trunc(n / 2)];
  return pad(images, { paddings: [[0, 0], around(rows), around(columns), [0, 0]], constantValue });
}

/** The layer of `resizing`, where shapes, weights and errors are described. */
export class Resizing extends ImageLayer {
  static override readonly className: string = 'Resizing';

  static override get optionNames(): OptionNames<ResizingOptions> {
    return {
      height: true,
      width: true,
      interpolation: true,
      cropToAspectRatio: false,
      padToAspectRatio: false,
      fillMode: false,
      fillValue: false,
      antialias: false,
      dataFormat: false,
      ...layerOptionNames,
    };
  }

  readonly height: number;
  readonly width: number;
  readonly interpolation: 'bilinear' | 'nearest';
  readonly cropToAspectRatio: boolean;
  readonly padToAspectRatio: boolean;
  readonly fillMode = 'constant';
  readonly fillValue: number;
  readonly antialias = false;

  constructor(options: ResizingOptions) {
    super(options);
    const { name } = this;
    const { height, width, cropToAspectRatio = false, padToAspectRatio = false, fillValue = 0 } = options;
    requireInteger(name, 'height', height, 1);
    requireInteger(name, 'width', width, 1);
    requireBoolean(name, 'cropToAspectRatio', cropToAspectRatio);
    requireBoolean(name, 'padToAspectRatio', padToAspectRatio);
    requireFinite(name, 'fillValue', fillValue);
    oneOf(name, 'fillMode', options.fillMode ?? 'constant', ['constant']);
    requireNoAntialias(name, options.antialias ?? false);
    if (cropToAspectRatio && padToAspectRatio) throw cutAndPadded(name);
    this.height = height;
    this.width = width;
    this.interpolation = oneOf(name, 'interpolation', options.interpolation ?? 'bilinear', [
      'bilinear',
      'nearest',
    ]);
    this.cropToAspectRatio = cropToAspectRatio;
    this.padToAspectRatio = padToAspectRatio;
    this.fillValue = fillValue;
  }

  protected override changed(images: Tensor): Tensor {
    const { height, width, cropToAspectRatio, padToAspectRatio, fillValue } = this;
    const size = [height, width] as const;
    let x = images;
    if (cropToAspectRatio) x = withRatio(x, this);
    if (padToAspectRatio) x = padded(x, this, fillValue);
    if (this.interpolation === 'nearest') return resizeNearest(x, { size });
    const resized = resizeBilinear(asFloats(x), { size });
    return images.dtype === 'float32' ? resized : cast(round(resized), images.dtype);
  }

  protected override sizeOf(): readonly number[] {
    return [this.height, this.width];
  }

  protected override outputDType([input]: readonly OpenSpec[] = []): DType {
    return input?.dtype ?? 'float32';
  }

  override getConfig(): Record<string, unknown> {
    const { height, width, interpolation, cropToAspectRatio, padToAspectRatio } = this;
    const { fillMode, fillValue, antialias, dataFormat } = this;
    return {
      ...super.getConfig(),
      height,
      width,
      interpolation,
      cropToAspectRatio,
      padToAspectRatio,
      fillMode,
      fillValue,
      antialias,
      dataFormat,
    };
  }
}

function requireNoAntialias(op: string, antialias: unknown): void {
  if (antialias === false) return;
  throw new ValueError({
    op,
    rule: '`antialias` is false: images that shrink are not smoothed before.',
    received: `antialias: ${String(antialias)}`,
    hint: 'leave it out, or shrink in steps of a half with averagePooling2d.',
  });
}

function cutAndPadded(op: string): ValueError {
  return new ValueError({
    op,
    rule: 'images are either cut or padded to the ratio of the result.',
    received: 'cropToAspectRatio: true, padToAspectRatio: true',
    hint: 'leave one of them out.',
  });
}

/** The layer of `centerCrop`, where shapes, weights and errors are described. */
export class CenterCrop extends ImageLayer {
  static override readonly className: string = 'CenterCrop';

  static override get optionNames(): OptionNames<CenterCropOptions> {
    return { height: true, width: true, dataFormat: false, ...layerOptionNames };
  }

  readonly height: number;
  readonly width: number;

  constructor(options: CenterCropOptions) {
    super(options);
    const { height, width } = options;
    requireInteger(this.name, 'height', height, 1);
    requireInteger(this.name, 'width', width, 1);
    this.height = height;
    this.width = width;
  }

  protected override changed(images: Tensor): Tensor {
    const given = sizeOf(images);
    const fits = given.height >= this.height && given.width >= this.width;
    return fits ? centered(asFloats(images), this) : smartlyResized(images, this);
  }

  protected override sizeOf(): readonly number[] {
    return [this.height, this.width];
  }

  override getConfig(): Record<string, unknown> {
    const { height, width, dataFormat } = this;
    return { ...super.getConfig(), height, width, dataFormat };
  }
}

/**
 * Images of `height` × `width` pixels. Shapes: [batch, rows, columns, channels] → [batch, height, width, channels], or without
 * a batch. Dtypes: that of the input; whole numbers are rounded. Pixels are areas: the centre of the first is at 0.5.
 * Errors: ValueError for invalid options; ShapeError for what are no images.
 */
export function resizing(options: ResizingOptions): Resizing;
export function resizing(
  ...settings: Positions<ResizingOptions, ['height', 'width', 'interpolation']>
): Resizing;
export function resizing(...args: unknown[]): Resizing {
  return make(Resizing, args);
}

/**
 * The `height` × `width` pixels in the middle of images. A smaller image is cut to that ratio and resized. Shapes: [batch,
 * rows, columns, channels] → [batch, height, width, channels], or without a batch. float32.
 * Errors: ValueError for invalid options; ShapeError for what are no images.
 */
export function centerCrop(options: CenterCropOptions): CenterCrop;
export function centerCrop(...settings: Positions<CenterCropOptions, ['height', 'width']>): CenterCrop;
export function centerCrop(...args: unknown[]): CenterCrop {
  return make(CenterCrop, args);
}
