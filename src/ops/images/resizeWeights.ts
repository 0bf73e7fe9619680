/** @file Resizes images by a matrix of weights along each axis. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireBoolean, requireRank } from '../../core/shape.ts';
import { perAxis } from '../../core/windows.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { einsum } from '../products/einsum.ts';

export interface ResizeBicubicOptions {
  /** Height and width of a result. */
  size: number | readonly number[];
  /** Whether to antialias when downsampling, by averaging over larger neighbourhoods. Default false. */
  antialias?: boolean;
}

/** The weight of pixel `k` in result `i`, where results are `step` pixels apart. A row of weights needn't add up to 1. */
export type PixelWeight = (k: number, i: number, step: number) => number;

/** Weights, with or without antialiasing. */
export type Weighting = (antialias: boolean) => PixelWeight;

/** The weight of a pixel by its distance from the centre of the result. */
export type Filter = (distance: number) => number;

/** Source: R. Keys, "Cubic convolution interpolation for digital image processing", 1981. */
export const cubic: Filter = (x) => {
  if (x >= 2) return 0;
  return x >= 1 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : (1.5 * x - 2.5) * x * x + 1;
};

/** Source: C. Duchon, "Lanczos filtering in one and two dimensions", 1979. */
/* @__NO_SIDE_EFFECTS__ */
export function lanczos(radius: number): Filter {
  return (x) => {
    if (x >= radius) return 0;
    if (x < 1e-3) return 1;
    const angle = Math.PI * x;
    return (radius * Math.sin(angle) * Math.sin(angle / radius)) / angle ** 2;
  };
}

/** Weighs pixels by `filter`, which antialiasing stretches over all pixels of a result. */
/* @__NO_SIDE_EFFECTS__ */
export function filtered(filter: Filter): Weighting {
  return (antialias) => (k, i, step) => {
    const centre = (i + 0.5) * step - 0.5;
    return filter(Math.abs(centre - k) / (antialias ? Math.max(step, 1) : 1));
  };
}

/** Resizes `images` by `weighting`. Errors: ShapeError for another rank or images without pixels, ValueError for options, DTypeError. */
export function resizedBy(
  op: string,
  images: Tensor,
  { size, antialias = false }: ResizeBicubicOptions,
  weighting: Weighting,
): Tensor {
  requireRank(op, 'images', images.shape, 4);
  requireDType(op, 'images', images.dtype, ['float32']);
  requireBoolean(op, 'antialias', antialias);
  const [down, across] = perAxis(op, 'size', size, 2);
  const [, height, width] = images.shape as [number, number, number, number];
  if (height === 0 || width === 0) {
    throw new ShapeError({
      op,
      rule: 'images must have pixels.',
      received: `images ${formatShape(images.shape)}`,
      hint: 'pass images of at least one row and column.',
    });
  }
  const rule = weighting(antialias);
  const isTall = height !== down;
  const rows = isTall ? einsum([weights(height, down, rule), images], { equation: 'oh,nhwc->nowc' }) : images;
  // An axis that keeps its length keeps its pixels; results are new tensors all the same.
  if (isTall && width === across) return rows;
  return einsum([weights(width, across, rule), rows], { equation: 'ow,nhwc->nhoc' });
}

/** Returns the weight of each of `size` pixels in each of `count` results: [count, size], rows that add up to 1. */
function weights(size: number, count: number, weight: PixelWeight): Tensor {
  const step = size / count;
  const values = new Float32Array(count * size);
  for (let i = 0; i < count; i++) {
    const row = Array.from({ length: size }, (_, k) => weight(k, i, step));
    const total = row.reduce((sum, each) => sum + each, 0);
    row.forEach((each, k) => {
      values[i * size + k] = each / total;
    });
  }
  return tensor(values, { shape: [count, size] });
}
