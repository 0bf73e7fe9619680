/** @file Values of images at points between pixels, for crops and transforms. */
import type { Tensor } from '../tensor/tensor.ts';
import { add, mul, sub } from './arithmetic.ts';
import { cast } from './cast.ts';
import { clip } from './clip.ts';
import { greaterEqual, less, lessEqual } from './comparison.ts';
import { expandDims } from './expandDims.ts';
import { gather } from './gather.ts';
import { logicalAnd } from './logical.ts';
import { reshape } from './reshape.ts';
import { ceil, floor } from './rounding.ts';
import { where } from './where.ts';

/** How values between pixels are interpolated. */
export type Interpolation = 'bilinear' | 'nearest';

/** Points of images: the image of each, and its position in pixels. Int32 and float32 tensors that broadcast. */
export interface SamplePoints {
  readonly image: Tensor;
  readonly y: Tensor;
  readonly x: Tensor;
}

/** Reads pixels at integer coordinates, some of which may be outside. */
type PixelReader = (y: Tensor, x: Tensor) => Tensor;

/**
 * The values of `images` [n, h, w, c] at `points` [...] → [..., c]. A pixel outside is `fillValue`, or the nearest one if
 * that is null. Differentiable in images and points.
 */
export function sampleImages(
  images: Tensor,
  points: SamplePoints,
  interpolation: Interpolation,
  fillValue: number | null,
): Tensor {
  const read = pixelReader(images, points.image, fillValue);
  if (interpolation === 'nearest') return read(nearestPixel(points.y), nearestPixel(points.x));
  const [top, left] = [floor(points.y), floor(points.x)];
  const [bottom, right] = [add(top, 1), add(left, 1)];
  const across = expandDims(sub(points.x, left), { axis: -1 });
  const down = expandDims(sub(points.y, top), { axis: -1 });
  const above = mixed(read(top, left), read(top, right), across);
  const below = mixed(read(bottom, left), read(bottom, right), across);
  return mixed(above, below, down);
}

const mixed = (a: Tensor, b: Tensor, share: Tensor): Tensor => add(a, mul(sub(b, a), share));

function pixelReader(images: Tensor, image: Tensor, fillValue: number | null): PixelReader {
  const [n, height, width, channels] = images.shape as [number, number, number, number];
  const pixels = reshape(images, { shape: [n * height * width, channels] });
  return (y, x) => {
    const row = cast(clip(y, { min: 0, max: height - 1 }), 'int32');
    const column = cast(clip(x, { min: 0, max: width - 1 }), 'int32');
    const index = add(mul(add(mul(image, height), row), width), column);
    const values = gather(pixels, index, { axis: 0, validateIndices: false });
    if (fillValue === null) return values;
    const isInside = logicalAnd(isWithin(y, height), isWithin(x, width));
    return where(expandDims(isInside, { axis: -1 }), values, fillValue);
  };
}

/** The integer nearest to a position. Ties go away from 0, as in TensorFlow. */
export const nearestPixel = (position: Tensor): Tensor =>
  where(less(position, 0), ceil(sub(position, 0.5)), floor(add(position, 0.5)));

/** Whether `position` is one of [0, size - 1]. */
export function isWithin(position: Tensor, size: number): Tensor {
  return logicalAnd(greaterEqual(position, 0), lessEqual(position, size - 1));
}
