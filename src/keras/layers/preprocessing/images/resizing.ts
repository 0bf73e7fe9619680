/** @file Resizing: resizes images to a given size. */
import { type DType, isFloating } from '../../../../core/dtype.ts';
import { ValueError } from '../../../../core/errors.ts';
import type { OpenSpec } from '../../../../core/spec.ts';
import { cast } from '../../../../ops/elementwise/cast.ts';
import { type Interpolation, interpolations, resizeImages } from '../../../../ops/images/resizeImages.ts';
import { round } from '../../../../ops/elementwise/rounding.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import { asFloats, type ImageChanges, ImageLayer, imageTable } from './imageLayer.ts';
import type { CenterCropOptions } from './centerCrop.ts';
import { padded, withRatio } from './ratio.ts';
import { factoryOf, flag, integer, layer, number, oneOf } from '../../base/declare.ts';

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

export class Resizing extends /* @__PURE__ */ layer<ResizingOptions, ImageLayer>(
  'Resizing',
  () => ({
    height: integer(),
    width: integer(),
    interpolation: oneOf(interpolations, 'bilinear'),
    cropToAspectRatio: flag(false),
    padToAspectRatio: flag(false),
    fillMode: oneOf(['constant'], 'constant'),
    fillValue: number({ default: 0 }),
    antialias: flag(false),
    ...imageTable(),
  }),
  ImageLayer,
) {
  constructor(options: ResizingOptions) {
    super(options);
    if (this.cropToAspectRatio && this.padToAspectRatio) throw cutAndPadded(this.name);
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
    return isFloating(images.dtype) ? resized : cast(round(resized), images.dtype);
  }

  protected override sizeOf(): readonly number[] {
    return [this.height, this.width];
  }

  protected override outputDType([input]: readonly OpenSpec[] = []): DType {
    return input?.dtype ?? 'float32';
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
