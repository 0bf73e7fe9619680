/** @file ImageConverter: makes pictures the inputs of a pretrained network, as it was trained. */
import { describe } from '../../core/describe.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe as describeShape, type Shape } from '../../core/shape.ts';
import { concat } from '../../ops/arrangement/concat.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { pad } from '../../ops/arrangement/pad.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { div, mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { clip } from '../../ops/elementwise/clip.ts';
import { round } from '../../ops/elementwise/rounding.ts';
import { type Interpolation, resizeImages } from '../../ops/images/resizeImages.ts';
import { fromImage } from '../../tensor/image.ts';
import type { ImageSource } from '../../tensor/pixels.ts';
import { tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** A picture: anything that `fromImage` takes, or its values from 0 to 255, [height, width, 3], or several as [n, height, width, 3]. */
export type Picture = ImageSource | Tensor;

/** Makes pictures the inputs of a network: float32 [n, height, width, 3]. */
export type ImageConverter = (pictures: Picture | readonly Picture[]) => Tensor;

/** Height and width. */
export type Size = readonly [height: number, width: number];

/** How pictures are converted. Null: that step is left out. */
export interface ImageConversion {
  /** The new size, or the new length of the shorter side. */
  readonly resize: { readonly size: Size | number; readonly interpolation: Interpolation } | null;
  /** The part in the middle that is kept. */
  readonly crop: Size | null;
  /** The factor of values. */
  readonly scale: number | null;
  /** Subtracted from each channel of scaled values, and what they are divided by. */
  readonly normalize: { readonly mean: readonly number[]; readonly std: readonly number[] } | null;
}

/** Returns a converter. Errors of it: ValueError for no pictures; ShapeError for tensors that are none, and for results of several sizes. */
export function imageConverterOf(conversion: ImageConversion): ImageConverter {
  return (pictures) =>
    tidy(() => {
      const list = Array.isArray(pictures) ? (pictures as readonly Picture[]) : [pictures as Picture];
      const converted = list.map((picture) => convert(asImages(picture), conversion));
      requireOneSize(converted);
      return converted.length === 1 ? (converted[0] as Tensor) : concat(converted, { axis: 0 });
    });
}

function convert(images: Tensor, { resize, crop, scale, normalize }: ImageConversion): Tensor {
  const resized = resize
    ? resizedInBytes(images, sizeFor(images, resize.size), resize.interpolation)
    : images;
  const cropped = crop ? centre(resized, crop) : resized;
  const scaled = scale === null ? cropped : mul(cropped, scale);
  return normalize ? div(sub(scaled, [...normalize.mean]), [...normalize.std]) : scaled;
}

/** Along one axis after the other, each rounded to bytes, as Pillow and torchvision do. */
function resizedInBytes(images: Tensor, [height, width]: Size, interpolation: Interpolation): Tensor {
  const along = (x: Tensor, size: Size) =>
    round(clip(resizeImages(x, { size, interpolation, antialias: true }), 0, 255));
  return along(along(images, [images.shape[1] as number, width]), [height, width]);
}

function sizeFor({ shape }: Tensor, size: Size | number): Size {
  if (typeof size !== 'number') return size;
  const [, height, width] = shape as [number, number, number];
  const long = Math.trunc((size * Math.max(height, width)) / Math.min(height, width));
  return height <= width ? [size, long] : [long, size];
}

/** The middle of images; around smaller ones, zeros are added. */
function centre(images: Tensor, [height, width]: Size): Tensor {
  const [n, h, w, channels] = images.shape as [number, number, number, number];
  const missing = [height - h, width - w].map((count) => Math.max(0, count)) as [number, number];
  const around = missing.map((count) => [Math.floor(count / 2), Math.ceil(count / 2)] as const);
  const filled = missing.some((count) => count > 0)
    ? pad(images, { paddings: [[0, 0], ...around, [0, 0]] as [number, number][] })
    : images;
  const [top, left] = [filled.shape[1] as number, filled.shape[2] as number].map((length, axis) =>
    Math.trunc((length - ([height, width][axis] as number)) / 2),
  ) as [number, number];
  return slice(filled, { begin: [0, top, left, 0], size: [n, height, width, channels] });
}

function asImages(picture: Picture): Tensor {
  if (!(picture instanceof Tensor)) return expandDims(fromImage(picture), { axis: 0 });
  const { rank, shape } = picture;
  if ((rank === 3 || rank === 4) && shape.at(-1) === 3) {
    const values = picture.dtype === 'float32' ? picture : cast(picture, 'float32');
    return rank === 3 ? expandDims(values, { axis: 0 }) : values;
  }
  throw new ShapeError({
    op: 'ImageConverter',
    rule: 'a tensor of a picture is [height, width, 3], several are [n, height, width, 3], with values from 0 to 255.',
    received: describeShape(shape),
    hint: 'fromImage(picture) makes one.',
  });
}

function requireOneSize(converted: readonly Tensor[]): void {
  const shapes: readonly Shape[] = converted.map(({ shape }) => shape.slice(1));
  const [first] = shapes;
  if (first && shapes.every((shape) => shape.every((length, axis) => length === first[axis]))) return;
  if (!first) {
    throw new ValueError({
      op: 'ImageConverter',
      rule: 'it takes at least one picture.',
      received: describe([]),
      hint: 'pass a picture, or a list of some.',
    });
  }
  throw new ShapeError({
    op: 'ImageConverter',
    rule: 'pictures of a batch have the same size when they are converted.',
    received: shapes.map(describeShape).join(', '),
    hint: 'this network keeps the proportions of pictures: convert them one by one.',
  });
}
