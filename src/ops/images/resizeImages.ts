/** @file resizeImages */
import { requireBoolean, requireOneOf } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { resizeBilinear, resizeNearest } from './resize.ts';
import { cubic, filtered, lanczos, resizedBy, type Weighting } from './resizeWeights.ts';

export const interpolations = ['nearest', 'bilinear', 'bicubic', 'lanczos3', 'lanczos5', 'area'] as const;

/** How the pixels of a resized image follow from those of the image. */
export type Interpolation = (typeof interpolations)[number];

export interface ResizeImagesOptions {
  /** Height and width of a result. */
  size: number | readonly number[];
  /** How pixels are interpolated; 'area' averages over the area of a result. Default 'bilinear'. */
  interpolation?: Interpolation;
  /**
   * Whether to antialias when downsampling, by averaging over larger neighbourhoods. It changes neither 'nearest' nor 'area', which
   * averages anyway. Default false.
   */
  antialias?: boolean;
}

/**
 * Images resized by any interpolation of `keras.ops.image.resize` and `tf.image.resize`. Pixels are squares: the centre of the
 * first is at 0.5. Shapes: images [n, h, w, c] → [n, ...size, c]. float32; 'nearest' takes any dtype.
 * Source: TensorFlow's ScaleAndTranslate and ResizeArea; see also `resizeBicubic` and `resizeLanczos`.
 * Errors: ShapeError for another rank or images without pixels, ValueError for options, DTypeError.
 */
export const resizeImages: CompositeOp<
  [images: Tensor],
  ResizeImagesOptions,
  Tensor,
  ['size', 'interpolation', 'antialias']
> = /* @__PURE__ */ defineComposite({
  name: 'resizeImages',
  inputs: ['images'],
  options: { size: true, interpolation: true, antialias: true },
  acceptsFloat16: false,
  compose: ([images], { size, interpolation = 'bilinear', antialias = false }) => {
    const op = 'resizeImages';
    requireOneOf(op, 'interpolation', interpolation, interpolations);
    requireBoolean(op, 'antialias', antialias);
    if (interpolation === 'nearest') return resizeNearest(images, { size });
    // Its kernel reads four pixels for each result.
    if (interpolation === 'bilinear' && !antialias) return resizeBilinear(images, { size });
    return resizedBy(op, images, { size, antialias }, weightOf[interpolation]);
  },
});

const weightOf: Readonly<Record<Exclude<Interpolation, 'nearest'>, Weighting>> = {
  bilinear: filtered((distance) => Math.max(0, 1 - distance)),
  bicubic: filtered(cubic),
  lanczos3: filtered(lanczos(3)),
  lanczos5: filtered(lanczos(5)),
  area: () => (k, i, step) => Math.max(0, Math.min(k + 1, (i + 1) * step) - Math.max(k, i * step)),
};
