/** @file keras.ops.image: ops on images [height, width, channels], or on a batch of them. */
import { isFloating } from '../../core/dtype.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { round } from '../../ops/elementwise/rounding.ts';
import { ValueError } from '../../core/errors.ts';
import { requireFinite, requireOneOf, type Shape } from '../../core/shape.ts';
import { perAxis } from '../../core/windows.ts';
import { expandDims, squeeze } from '../../ops/arrangement/expandDims.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { pad } from '../../ops/arrangement/pad.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import { conv3d } from '../../ops/convolution/conv3d.ts';
import { eye } from '../../ops/creation/eye.ts';
import { type DataFormatOption, inEitherFormat } from './channels.ts';
import { composeFloats, composeThroughFloats } from './composites.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { extractPatches as patchesOf, type ExtractPatchesOptions } from '../../ops/images/extractPatches.ts';
import type { FillMode } from '../../ops/images/fillModes.ts';
import { gaussianBlur as blurred } from '../../ops/images/gaussianBlur.ts';
import { resizeImages, type ResizeImagesOptions } from '../../ops/images/resizeImages.ts';
import type { Interpolation } from '../../ops/images/sampleImages.ts';
import { transformImages } from '../../ops/images/transformImages.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { homography } from './homography.ts';
import { ofImages, perImage } from './imageBatches.ts';

export { sobelEdges, ssim, type SsimOptions } from './imageMeasures.ts';
export {
  scaleAndTranslate,
  type ScaleAndTranslateOptions,
} from './scaleAndTranslate.ts';
export { hsvToRgb, rgbToGrayscale, rgbToHsv } from './imageColours.ts';
export { type CropImagesOptions, cropImages, type PadImagesOptions, padImages } from './imageBorders.ts';
export { type ElasticTransformOptions, elasticTransform } from './elasticTransform.ts';
export { type MapCoordinatesOptions, mapCoordinates } from './mapCoordinates.ts';

export interface ResizeOptions extends ResizeImagesOptions, DataFormatOption {
  /** Whether images are first cut to the proportions of the result. Default false. */
  cropToAspectRatio?: boolean;
  /** Whether images are first padded to the proportions of the result. Default false. */
  padToAspectRatio?: boolean;
  /** How they are padded. Default 'constant'. */
  fillMode?: 'constant';
  /** The value of padding. Default 0. */
  fillValue?: number;
}

/**
 * Images resized to `size`, like the library's `resizeImages`. Any dtype; integers are rounded. Shapes: [..batch, h, w, c] → [..batch,
 * ...size, c]. Errors: as there, and ValueError for images that are cut and padded.
 */
export const resize: CompositeOp<
  [images: Tensor],
  ResizeOptions,
  Tensor,
  ['size', 'interpolation', 'antialias']
> = /* @__PURE__ */ defineComposite(
  inEitherFormat(
    {
      name: 'resize',
      inputs: ['images'],
      options: {
        size: true,
        interpolation: true,
        antialias: true,
        cropToAspectRatio: false,
        padToAspectRatio: false,
        fillMode: false,
        fillValue: false,
        dataFormat: false,
      },
      compose: (
        [images],
        { cropToAspectRatio, padToAspectRatio, fillMode = 'constant', fillValue = 0, ...options },
      ) => {
        requireOneOf('resize', 'fillMode', fillMode, ['constant']);
        const framed = (x: Tensor) => {
          const target = perAxis('resize', 'size', options.size, 2) as [number, number];
          if (cropToAspectRatio && padToAspectRatio) throw bothRatios();
          if (cropToAspectRatio) return cutTo(x, target);
          return padToAspectRatio ? paddedTo(x, target, fillValue) : x;
        };
        const { dtype } = images;
        const resized = ofImages('resize', asFloats(images), (x) => resizeImages(framed(x), options));
        return isFloating(dtype) ? resized : cast(round(resized), { dtype });
      },
    },
    -3,
  ),
);

const asFloats = (x: Tensor) => (isFloating(x.dtype) ? x : cast(x, 'float32'));

const bothRatios = () =>
  new ValueError({
    op: 'resize',
    rule: 'images are cut to the proportions of the result, or padded to them.',
    received: 'cropToAspectRatio: true and padToAspectRatio: true',
    hint: 'leave out one of them.',
  });

/** The height and width that an image has in the proportions of `target` if it keeps the other one. */
function proportional([, height, width]: Shape, target: readonly [number, number]): [number, number] {
  const [h, w] = [height as number, width as number];
  return [Math.floor((w * target[0]) / target[1]), Math.floor((h * target[1]) / target[0])];
}

function cutTo(images: Tensor, target: readonly [number, number]): Tensor {
  const [batch, height, width, channels] = images.shape as [number, number, number, number];
  const whole = proportional(images.shape, target);
  const kept = [height, width].map((n, i) => Math.max(1, Math.min(n, whole[i] as number))) as [
    number,
    number,
  ];
  const begin = [0, Math.floor((height - kept[0]) / 2), Math.floor((width - kept[1]) / 2), 0];
  return slice(images, { begin, size: [batch, ...kept, channels] });
}

/** Both sides get the same, so that an odd pixel is missing, as in Keras; only the shorter axis is padded. */
function paddedTo(images: Tensor, target: readonly [number, number], constantValue: number): Tensor {
  const [, height, width] = images.shape as [number, number, number, number];
  const [tall, wide] = proportional(images.shape, target);
  const down = Math.max(0, Math.floor((tall - height) / 2));
  const across = down > 0 ? 0 : Math.max(0, Math.floor((wide - width) / 2));
  return pad(images, {
    paddings: [
      [0, 0],
      [down, down],
      [across, across],
      [0, 0],
    ],
    constantValue,
  });
}

/** The patches of images, like the library's `extractPatches`, also of one image. Any dtype. */
export const extractPatches: CompositeOp<
  [images: Tensor],
  ExtractPatchesOptions & DataFormatOption,
  Tensor,
  ['size', 'strides', 'dilationRate', 'padding']
> = /* @__PURE__ */ defineComposite(
  inEitherFormat(
    {
      name: 'extractPatches',
      inputs: ['images'],
      options: { size: true, strides: true, dilationRate: true, padding: true, dataFormat: false },
      compose: ([images], options) => ofImages('extractPatches', images, (x) => patchesOf(x, options)),
    },
    -3,
  ),
);

/** Options of `extractPatches3d`. */
export interface VolumePatchesOptions extends DataFormatOption {
  /** Depth, height and width of a patch. */
  size: number | readonly number[];
  /** Steps from one patch to the next. Default: the size. */
  strides?: number | readonly number[] | null;
  /** Steps between the voxels of a patch. Default 1. */
  dilationRate?: number | readonly number[];
  /** 'same' pads with zeros. Default 'valid'. */
  padding?: 'valid' | 'same';
}

/**
 * The patches of volumes, each as a vector. float32. Shapes: [..batch, d, h, w, c] → [..batch, ...counts, size · c]. Errors: ShapeError,
 * ValueError.
 */
export const extractPatches3d: CompositeOp<
  [volumes: Tensor],
  VolumePatchesOptions,
  Tensor,
  ['size', 'strides', 'dilationRate', 'padding']
> = /* @__PURE__ */ composeThroughFloats(
  inEitherFormat(
    {
      name: 'extractPatches3d',
      inputs: ['volumes'],
      options: { size: true, strides: true, dilationRate: true, padding: true, dataFormat: false },
      compose: ([volumes], { size, strides, dilationRate = 1, padding = 'valid' }) => {
        const window = perAxis('extractPatches3d', 'size', size, 3);
        const isOne = volumes.shape.length === 4;
        const batch = isOne ? expandDims(volumes, { axis: 0 }) : volumes;
        const channels = batch.shape.at(-1) as number;
        const count = window.reduce((product, n) => product * n, channels);
        const kernel = reshape(eye(count), { shape: [...window, channels, count] });
        const patches = conv3d(batch, kernel, { strides: strides ?? window, dilationRate, padding });
        return isOne ? squeeze(patches, { axis: 0 }) : patches;
      },
    },
    -4,
  ),
);

/** Options of `gaussianBlur`. */
export interface ImageBlurOptions extends DataFormatOption {
  /** Height and width of the window. Default 3. */
  kernelSize?: number | readonly number[];
  /** Standard deviations down and across, in pixels; a number for both. Default 1. */
  sigma?: number | readonly [number, number];
}

/** Images blurred by a Gaussian window, like the library's `gaussianBlur`. float32. Shape: that of the images. */
export const gaussianBlur: CompositeOp<[images: Tensor], ImageBlurOptions, Tensor, ['kernelSize', 'sigma']> =
  /* @__PURE__ */ composeFloats(
    inEitherFormat(
      {
        name: 'gaussianBlur',
        inputs: ['images'],
        options: { kernelSize: true, sigma: true, dataFormat: false },
        compose: ([images], { kernelSize = 3, sigma = 1 }) => {
          const deviations = typeof sigma === 'number' ? [sigma, sigma] : [...sigma];
          for (const deviation of deviations) requireFinite('gaussianBlur', 'sigma', deviation, 0);
          return ofImages('gaussianBlur', images, (x) =>
            blurred(x, tensor(deviations) as Tensor, { kernelSize }),
          );
        },
      },
      -3,
    ),
  );

export interface AffineTransformOptions extends DataFormatOption {
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
> = /* @__PURE__ */ composeFloats(
  inEitherFormat(
    {
      name: 'affineTransform',
      inputs: ['images', 'transform'],
      options: { interpolation: true, fillMode: true, fillValue: true, dataFormat: false },
      compose: ([images, transform], options) => {
        const transforms = perImage('affineTransform', 'transform', transform, 2);
        return ofImages('affineTransform', images, (x) => transformImages(x, transforms, options));
      },
    },
    -3,
  ),
);

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
> = /* @__PURE__ */ composeFloats(
  inEitherFormat(
    {
      name: 'perspectiveTransform',
      inputs: ['images', 'startPoints', 'endPoints'],
      options: { interpolation: true, fillValue: true, dataFormat: false },
      compose: ([images, startPoints, endPoints], options) => {
        const op = 'perspectiveTransform';
        const [start, end] = [
          perImage(op, 'startPoints', startPoints, 3),
          perImage(op, 'endPoints', endPoints, 3),
        ];
        const transforms = homography(end, start);
        return ofImages(op, images, (x) => transformImages(x, transforms, options));
      },
    },
    -3,
  ),
);
