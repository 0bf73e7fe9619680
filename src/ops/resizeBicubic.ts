/** @file resizeBicubic, resizeLanczos: a matmul with a matrix of weights along each axis. */
import { requireDType } from '../core/dtype.ts';
import { ShapeError, ValueError } from '../core/errors.ts';
import { describe, formatShape, requireBoolean, requireRank } from '../core/shape.ts';
import { perAxis } from '../core/windows.ts';
import { tensor } from '../tensor/create.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from './composite.ts';
import { einsum } from './einsum.ts';

/** Options of `resizeBicubic`. */
export interface ResizeBicubicOptions {
  /** Height and width of a result. */
  size: number | readonly number[];
  /** Whether to antialias when downsampling, by averaging over larger neighbourhoods. Default false. */
  antialias?: boolean;
}

/** Options of `resizeLanczos`. */
export interface ResizeLanczosOptions extends ResizeBicubicOptions {
  /** The number of pixels on each side that are included. Default 3. */
  radius?: 3 | 5;
}

/** The weight of a pixel by its distance. */
type Filter = (distance: number) => number;

/**
 * Images resized by cubic interpolation (a = -1/2); pixels are squares, and those beyond the edge are excluded. float32.
 * Shapes: images [n, h, w, c] → [n, height, width, c].
 * Source: R. Keys, "Cubic convolution interpolation for digital image processing", 1981.
 * Errors: ShapeError for another rank or images without pixels, ValueError for options, DTypeError.
 */
export const resizeBicubic: CompositeOp<
  [images: Tensor],
  ResizeBicubicOptions,
  Tensor,
  ['size', 'antialias']
> = /* @__PURE__ */ defineComposite({
  name: 'resizeBicubic',
  inputs: ['images'],
  options: { size: true, antialias: true },
  compose: ([images], options) => resized('resizeBicubic', images, options, cubic),
});

/**
 * Images resized with a windowed sinc filter; pixels are squares, and those beyond the edge are excluded. float32.
 * Shapes: images [n, h, w, c] → [n, height, width, c].
 * Source: C. Duchon, "Lanczos filtering in one and two dimensions", 1979.
 * Errors: as for `resizeBicubic`.
 */
export const resizeLanczos: CompositeOp<
  [images: Tensor],
  ResizeLanczosOptions,
  Tensor,
  ['size', 'antialias', 'radius']
> = /* @__PURE__ */ defineComposite({
  name: 'resizeLanczos',
  inputs: ['images'],
  options: { size: true, antialias: true, radius: true },
  compose: ([images], { radius = 3, ...options }) => {
    if (radius === 3 || radius === 5) return resized('resizeLanczos', images, options, lanczos(radius));
    throw new ValueError({
      op: 'resizeLanczos',
      rule: '`radius` must be 3 or 5.',
      received: `radius: ${describe(radius)}`,
      hint: 'leave it out for 3.',
    });
  },
});

const cubic: Filter = (x) => {
  if (x >= 2) return 0;
  return x >= 1 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : (1.5 * x - 2.5) * x * x + 1;
};

const lanczos =
  (radius: number): Filter =>
  (x) => {
    if (x >= radius) return 0;
    if (x < 1e-3) return 1;
    const angle = Math.PI * x;
    return (radius * Math.sin(angle) * Math.sin(angle / radius)) / angle ** 2;
  };

function resized(
  op: string,
  images: Tensor,
  { size, antialias = false }: ResizeBicubicOptions,
  filter: Filter,
): Tensor {
  requireRank(op, 'images', images.shape, 4);
  requireDType(op, 'images', images.dtype, ['float32']);
  requireBoolean(op, 'antialias', antialias);
  const [down, across] = perAxis(op, 'size', size, 2) as [number, number];
  const [, height, width] = images.shape as [number, number, number, number];
  if (height === 0 || width === 0) {
    throw new ShapeError({
      op,
      rule: 'images must have pixels.',
      received: `images ${formatShape(images.shape)}`,
      hint: 'pass images of at least one row and column.',
    });
  }
  const rows = einsum([weights(height, down, antialias, filter), images], { equation: 'oh,nhwc->nowc' });
  return einsum([weights(width, across, antialias, filter), rows], { equation: 'ow,nhwc->nhoc' });
}

/** Returns the weight of each of `size` pixels in each of `count` results: [count, size], rows that add up to 1. */
function weights(size: number, count: number, antialias: boolean, filter: Filter): Tensor {
  const step = size / count;
  const spread = antialias ? Math.max(step, 1) : 1;
  const values = new Float32Array(count * size);
  for (let i = 0; i < count; i++) {
    const centre = (i + 0.5) * step - 0.5;
    const row = Array.from({ length: size }, (_, k) => filter(Math.abs(centre - k) / spread));
    const total = row.reduce((sum, weight) => sum + weight, 0);
    row.forEach((weight, k) => {
      values[i * size + k] = weight / total;
    });
  }
  return tensor(values, { shape: [count, size] });
}
