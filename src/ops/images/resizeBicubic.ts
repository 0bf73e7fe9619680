/** @file resizeBicubic, resizeLanczos: a matmul with a matrix of weights along each axis. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { cubic, filtered, lanczos, type ResizeBicubicOptions, resizedBy } from './resizeWeights.ts';

export interface ResizeLanczosOptions extends ResizeBicubicOptions {
  /** The number of pixels on each side that are included. Default 3. */
  radius?: 3 | 5;
}

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
  acceptsFloat16: false,
  inputs: ['images'],
  options: { size: true, antialias: true },
  compose: ([images], options) => resizedBy('resizeBicubic', images, options, filtered(cubic)),
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
  acceptsFloat16: false,
  inputs: ['images'],
  options: { size: true, antialias: true, radius: true },
  compose: ([images], { radius = 3, ...options }) => {
    if (radius === 3 || radius === 5)
      return resizedBy('resizeLanczos', images, options, filtered(lanczos(radius)));
    throw new ValueError({
      op: 'resizeLanczos',
      rule: '`radius` must be 3 or 5.',
      received: `radius: ${describe(radius)}`,
      hint: 'leave it out for 3.',
    });
  },
});
