/** @file Layers that bring images to a given size: CenterCrop, RandomCrop, Resizing. */
import { resizeBilinear } from '../../../../ops/images/resize.ts';
import { pad } from '../../../../ops/arrangement/pad.ts';
import { slice } from '../../../../ops/arrangement/slice.ts';
import type { Tensor } from '../../../../tensor/tensor.ts';
import {
  asFloats,
  asImages,
  type ImageChanges,
  ImageLayer,
  type ImageLayerOptions,
  imageTable,
  RandomImageLayer,
  type RandomImageOptions,
  randomTable,
} from './imageLayer.ts';
import type { ImageSize } from './imageOptions.ts';
import { factoryOf, flag, integer, layer, number, oneOf } from '../../base/declare.ts';
import { add } from '../../../../ops/elementwise/arithmetic.ts';
import { cast } from '../../../../ops/elementwise/cast.ts';
import { gather } from '../../../../ops/indexing/gather.ts';
import { range } from '../../../../ops/creation/range.ts';
import type { DType } from '../../../../core/dtype.ts';
import { ValueError } from '../../../../core/errors.ts';
import type { OpenSpec } from '../../../../core/spec.ts';
import { type Interpolation, interpolations, resizeImages } from '../../../../ops/images/resizeImages.ts';
import { round } from '../../../../ops/elementwise/rounding.ts';

// Crops, pads and resizes images to a size, keeping their aspect ratio.

/** Height and width of a batch. */
const sizeOf = (images: Tensor): ImageSize => ({
  height: images.shape[1] as number,
  width: images.shape[2] as number,
});

/** The part of `images` in the middle, of that size. */
function centered(images: Tensor, { height, width }: ImageSize): Tensor {
  const given = sizeOf(images);
  const begin = [0, Math.trunc((given.height - height) / 2), Math.trunc((given.width - width) / 2), 0];
  return slice(images, { begin, size: [-1, height, width, -1] });
}

/** The largest part in the middle with the aspect ratio of `size`. */
function withRatio(images: Tensor, size: ImageSize): Tensor {
  const { height, width } = sizeOf(images);
  const within = (n: number, max: number) => Math.max(1, Math.min(max, Math.trunc(n)));
  return centered(images, {
    height: within((width * size.height) / size.width, height),
    width: within((height * size.width) / size.height, width),
  });
}

/** The images cropped to the aspect ratio of `size`, then resized. */
function smartlyResized(images: Tensor, size: ImageSize): Tensor {
  return resizeBilinear(withRatio(asFloats(images), size), { size: [size.height, size.width] });
}

/** The images padded on all sides to the aspect ratio of `size`. */
function padded(images: Tensor, size: ImageSize, constantValue: number): Tensor {
  const { height, width } = sizeOf(images);
  const rows = Math.max(height, Math.trunc((width * size.height) / size.width)) - height;
  const columns = Math.max(width, Math.trunc((height * size.width) / size.height)) - width;
  // As in Keras, the same on both sides: of an odd number, one is left out.
  const around = (n: number): [number, number] => [Math.trunc(n / 2), Math.trunc(n / 2)];
  return pad(images, { paddings: [[0, 0], around(rows), around(columns), [0, 0]], constantValue });
}

export interface CenterCropOptions extends ImageLayerOptions {
  /** Rows of the result. */
  height: number;
  /** Columns of the result. */
  width: number;
}

export class CenterCrop extends /* @__PURE__ */ layer<CenterCropOptions, ImageLayer>(
  'CenterCrop',
  () => ({ height: integer(), width: integer(), ...imageTable() }),
  ImageLayer,
) {
  protected override changes(images: Tensor): ImageChanges {
    const given = sizeOf(images);
    const fits = given.height >= this.height && given.width >= this.width;
    const cut = (x: Tensor) => (fits ? centered(asFloats(x), this) : smartlyResized(x, this));
    return { images: cut, segmentationMasks: (x) => asImages(x, cut) };
  }

  protected override sizeOf(): readonly number[] {
    return [this.height, this.width];
  }
}

/**
 * The `height` × `width` pixels in the middle of images. A smaller image is cropped to that aspect ratio and resized. Shapes:
 * [batch, rows, columns, channels] → [batch, height, width, channels], or without a batch. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const centerCrop = /* @__PURE__ */ factoryOf(CenterCrop, ['height', 'width']);

export interface RandomCropOptions extends RandomImageOptions {
  /** Rows of the result. */
  height: number;
  /** Columns of the result. */
  width: number;
}

/** The first row and column of a crop, int32 [1] each; null where the images are no larger than the result. */
type Corner = readonly [row: Tensor, column: Tensor] | null;

export class RandomCrop extends /* @__PURE__ */ layer<RandomCropOptions, RandomImageLayer<Corner>>(
  'RandomCrop',
  () => ({ height: integer(), width: integer(), ...randomTable() }),
  RandomImageLayer,
) {
  /** One corner for the whole batch. */
  override getRandomTransformation(images: Tensor): Corner {
    const rows = (images.shape[1] as number) - this.height;
    const columns = (images.shape[2] as number) - this.width;
    if (rows <= 0 || columns <= 0) return null;
    return [this.#drawBelow(rows + 1), this.#drawBelow(columns + 1)];
  }

  override transformImages(images: Tensor, corner: Corner): Tensor {
    if (!corner) return smartlyResized(images, this);
    const from = (x: Tensor, axis: number, start: Tensor, count: number) =>
      gather(x, add(range(0, count, 1, { dtype: 'int32' }), start), { axis });
    return from(from(images, 1, corner[0], this.height), 2, corner[1], this.width);
  }

  override transformSegmentationMasks(masks: Tensor, corner: Corner): Tensor {
    return asImages(masks, (x) => this.transformImages(x, corner));
  }

  protected override unchanged(images: Tensor): Tensor {
    return smartlyResized(images, this);
  }

  protected override sizeOf(): readonly number[] {
    return [this.height, this.width];
  }

  #drawBelow(bound: number): Tensor {
    return cast(this.uniform([1], [0, bound]), 'int32');
  }
}

/**
 * Crops images to `height` × `width` pixels at a random place, the same for the whole batch. Where `training` is false, and
 * for images that are not larger, the largest part in the middle with that aspect ratio is resized instead. Shapes: [batch,
 * rows, columns, channels] → [batch, height, width, channels], or without a batch. float32.
 * Errors: ValueError for invalid options; ShapeError for inputs that aren't images.
 */
export const randomCrop = /* @__PURE__ */ factoryOf(RandomCrop, ['height', 'width', 'seed']);

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
    return images.dtype === 'float32' ? resized : cast(round(resized), images.dtype);
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
