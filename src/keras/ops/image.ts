/** @file keras.ops.image: ops on images [height, width, channels], or on a batch of them. */
import { requireFinite } from '../../core/shape.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { type ExtractPatchesOptions, extractPatches as patchesOf } from '../../ops/images/extractPatches.ts';
import type { FillMode } from '../../ops/images/fillModes.ts';
import { gaussianBlur as blurred } from '../../ops/images/gaussianBlur.ts';
import { type ResizeImagesOptions, resizeImages } from '../../ops/images/resizeImages.ts';
import type { Interpolation } from '../../ops/images/sampleImages.ts';
import { transformImages } from '../../ops/images/transformImages.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { homography } from './homography.ts';
import { ofImages, perImage } from './imageBatches.ts';

export { hsvToRgb, rgbToGrayscale, rgbToHsv } from '../../ops/images/colours.ts';
export { type CropImagesOptions, cropImages, type PadImagesOptions, padImages } from './imageBorders.ts';
export { type MapCoordinatesOptions, mapCoordinates } from './mapCoordinates.ts';

/** Images resized to `size`, like the library's `resizeImages`. float32. Shapes: [..batch, h, w, c] → [..batch, ...size, c]. */
export const resize: CompositeOp<
  [images: Tensor],
  ResizeImagesOptions,
  Tensor,
  ['size', 'interpolation', 'antialias']
> = /* @__PURE__ */ defineComposite({
  name: 'resize',
  inputs: ['images'],
  options: { size: true, interpolation: true, antialias: true },
  compose: ([images], options) => ofImages('resize', images, (x) => resizeImages(x, options)),
});

/** The patches of images, like the library's `extractPatches`, also of one image. Any dtype. */
export const extractPatches: CompositeOp<
  [images: Tensor],
  ExtractPatchesOptions,
  Tensor,
  ['size', 'strides', 'dilationRate', 'padding']
> = /* @__PURE__ */ defineComposite({
  name: 'extractPatches',
  inputs: ['images'],
  options: { size: true, strides: true, dilationRate: true, padding: true },
  compose: ([images], options) => ofImages('extractPatches', images, (x) => patchesOf(x, options)),
});

/** Options of `gaussianBlur`. */
export interface ImageBlurOptions {
  /** Height and width of the window. Default 3. */
  kernelSize?: number | readonly number[];
  /** Standard deviations down and across, in pixels; a number for both. Default 1. */
  sigma?: number | readonly [number, number];
}

/** Images blurred by a Gaussian window, like the library's `gaussianBlur`. float32. Shape: that of the images. */
export const gaussianBlur: CompositeOp<[images: Tensor], ImageBlurOptions, Tensor, ['kernelSize', 'sigma']> =
  /* @__PURE__ */ defineComposite({
    name: 'gaussianBlur',
    inputs: ['images'],
    options: { kernelSize: true, sigma: true },
    compose: ([images], { kernelSize = 3, sigma = 1 }) => {
      const deviations = typeof sigma === 'number' ? [sigma, sigma] : [...sigma];
      for (const deviation of deviations) requireFinite('gaussianBlur', 'sigma', deviation, 0);
      return ofImages('gaussianBlur', images, (x) =>
        blurred(x, tensor(deviations) as Tensor, { kernelSize }),
      );
    },
  });

export interface AffineTransformOptions {
  /** The interpolation between pixels. Default 'bilinear'. */
  interpolation?: Interpolation;
  /** What is outside of an image: see the library's `transformImages`. Default 'constant'. */
  fillMode?: FillMode;
  /** The value of pixels outside. Default 0. */
  fillValue?: number;
}

/**
 * Images transformed by affine maps [a0, a1, a2, b0, b1, b2, 0, 0]: pixel (x, y) of a result is that of the image at
 * (a0 x + a1 y + a2, b0 x + b1 y + b2). float32. Shapes: images [..batch, h, w, c], transform [8] or [batch, 8] → that of the
 * images. Errors: ShapeError, DTypeError, ValueError.
 */
export const affineTransform: CompositeOp<
  [images: Tensor, transform: Tensor],
  AffineTransformOptions,
  Tensor,
  ['interpolation', 'fillMode', 'fillValue']
> = /* @__PURE__ */ defineComposite({
  name: 'affineTransform',
  inputs: ['images', 'transform'],
  options: { interpolation: true, fillMode: true, fillValue: true },
  compose: ([images, transform], options) => {
    const transforms = perImage('affineTransform', 'transform', transform, 2);
    return ofImages('affineTransform', images, (x) => transformImages(x, transforms, options));
  },
});

export type PerspectiveTransformOptions = Omit<AffineTransformOptions, 'fillMode'>;

/**
 * Images whose points (x, y) `startPoints` move to `endPoints`. float32. Shapes: images [..batch, h, w, c], four points [4, 2]
 * or [batch, 4, 2] → that of the images. Errors: ShapeError, DTypeError, ValueError.
 */
export const perspectiveTransform: CompositeOp<
  [images: Tensor, startPoints: Tensor, endPoints: Tensor],
  PerspectiveTransformOptions,
  Tensor,
  ['interpolation', 'fillValue']
> = /* @__PURE__ */ defineComposite({
  name: 'perspectiveTransform',
  inputs: ['images', 'startPoints', 'endPoints'],
  options: { interpolation: true, fillValue: true },
  compose: ([images, startPoints, endPoints], options) => {
    const op = 'perspectiveTransform';
    const [start, end] = [
      perImage(op, 'startPoints', startPoints, 3),
      perImage(op, 'endPoints', endPoints, 3),
    ];
    const transforms = homography(end, start);
    return ofImages(op, images, (x) => transformImages(x, transforms, options));
  },
});
