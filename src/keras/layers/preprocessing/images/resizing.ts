/** @file Resizing: resizes images to a given size. */
import type { DType } from '../../../../core/dtype.ts';
import { ValueError } from '../../../../core/errors.ts';
import type { OptionNames } from '../../../../core/options.ts';
import { oneOf, requireBoolean, requireFinite } from '../../../../core/shape.ts';
import type { OpenSpec } from '../../../../core/spec.ts';
import { cast } from '../../../../ops/cast.ts';
import { type Interpolation, interpolations, resizeImages } from '../../../../ops/resizeImages.ts';
import { round } from '../../../../ops/rounding.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { layerOptionNames } from '../../base/layerOptions.ts';
import { asFloats, type ImageChanges, ImageLayer } from './imageLayer.ts';
import { sizeOption } from './imageOptions.ts';
import type { CenterCropOptions } from './centerCrop.ts';
import { padded, withRatio } from './ratio.ts';
import { factoryOf } from '../../../options/factory.ts';

/** Options of `resizing`. */
export interface ResizingOptions extends CenterCropOptions {
  /** How pixels are interpolated; 'area' averages over the area of a result. Default 'bilinear'. */
  interpolation?: Interpolation;
  /** Whether to crop to the aspect ratio of the result first, around the centre. Default false. */
  cropToAspectRatio?: boolean;
  /** Whether to pad to the aspect ratio of the result first. Default false. */
  padToAspectRatio?: boolean;
  /** How `padToAspectRatio` pads: with `fillValue`. Default 'constant'. */
  fillMode?: 'constant';
  /** Value of the pixels that `padToAspectRatio` adds. Default 0. */
  fillValue?: number;
  /** Whether to antialias when images shrink, by averaging over larger neighbourhoods. Default false. */
  antialias?: boolean;
}

/** The class of layers created by `resizing`, which documents shapes, weights and errors. */
export class Resizing extends ImageLayer {
  static override readonly className: string = 'Resizing';

  static get knownOptions(): readonly string[] {
    return Object.keys({
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
    } satisfies OptionNames<ResizingOptions>);
  }

  readonly height: number;
  readonly width: number;
  readonly interpolation: Interpolation;
  readonly cropToAspectRatio: boolean;
  readonly padToAspectRatio: boolean;
  readonly fillMode = 'constant';
  readonly fillValue: number;
  readonly antialias: boolean;

  constructor(options: ResizingOptions) {
    super(options);
    const { name } = this;
    const { height, width } = sizeOption(name, options);
    const { cropToAspectRatio = false, padToAspectRatio = false, fillValue = 0, antialias = false } = options;
    requireBoolean(name, 'cropToAspectRatio', cropToAspectRatio);
    requireBoolean(name, 'padToAspectRatio', padToAspectRatio);
    requireFinite(name, 'fillValue', fillValue);
    oneOf(name, 'fillMode', options.fillMode ?? 'constant', ['constant']);
    requireBoolean(name, 'antialias', antialias);
    if (cropToAspectRatio && padToAspectRatio) throw cutAndPadded(name);
    this.height = height;
    this.width = width;
    this.interpolation = oneOf(name, 'interpolation', options.interpolation ?? 'bilinear', interpolations);
    this.cropToAspectRatio = cropToAspectRatio;
    this.padToAspectRatio = padToAspectRatio;
    this.fillValue = fillValue;
    this.antialias = antialias;
  }

  protected override changes(): ImageChanges {
    return {
      images: (x) => this.#resized(x, this.interpolation),
      segmentationMasks: (x) => this.#resized(x, 'nearest'),
    };
  }

  #resized(images: Tensor, interpolation: Interpolation): Tensor {
    const { height, width, cropToAspectRatio, padToAspectRatio, fillValue, antialias } = this;
    const size = [height, width] as const;
    let x = images;
    if (cropToAspectRatio) x = withRatio(x, this);
    if (padToAspectRatio) x = padded(x, this, fillValue);
    if (interpolation === 'nearest') return resizeImages(x, { size, interpolation });
    const resized = resizeImages(asFloats(x), { size, interpolation, antialias });
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

function cutAndPadded(op: string): ValueError {
  return new ValueError({
    op,
    rule: 'images are either cut or padded to the ratio of the result.',
    received: 'cropToAspectRatio: true, padToAspectRatio: true',
    hint: 'leave one of them out.',
  });
}

/**
 * Resizes images to `height` × `width` pixels. Shapes: [batch, rows, columns, channels] → [batch, height, width, channels],
 * or without a batch. Dtypes: that of the input; integer results are rounded. Pixels are areas: the centre of the first is at
 * 0.5.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const resizing = /* @__PURE__ */ factoryOf(Resizing, ['height', 'width', 'interpolation']);
