/** @file keras.ops.image: ops on images [height, width, channels], or on a batch of them. */
import { ShapeError, ValueError } from '../../core/errors.ts';
import { describe, formatShape, requireFinite, requireInteger, requireOneOf } from '../../core/shape.ts';
import { add, mul, sub } from '../../ops/arithmetic.ts';
import { cast } from '../../ops/cast.ts';
import { clip } from '../../ops/clip.ts';
import { type CompositeOp, defineComposite } from '../../ops/composite.ts';
import { mod } from '../../ops/division.ts';
import { expandDims } from '../../ops/expandDims.ts';
import { type ExtractPatchesOptions, extractPatches as patchesOf } from '../../ops/extractPatches.ts';
import { type FillMode, fillModes } from '../../ops/fillModes.ts';
import { gaussianBlur as blurred } from '../../ops/gaussianBlur.ts';
import { gatherNd } from '../../ops/gatherNd.ts';
import { logicalAnd } from '../../ops/logical.ts';
import { minimum } from '../../ops/maximum.ts';
import { type ResizeImagesOptions, resizeImages } from '../../ops/resizeImages.ts';
import { ceil, floor } from '../../ops/rounding.ts';
import { type Interpolation, isWithin } from '../../ops/sampleImages.ts';
import { pad, slice } from '../../ops/slice.ts';
import { squeeze } from '../../ops/squeeze.ts';
import { stack } from '../../ops/stack.ts';
import { transformImages } from '../../ops/transformImages.ts';
import { unstack } from '../../ops/unstack.ts';
import { less } from '../../ops/comparison.ts';
import { where } from '../../ops/where.ts';
import { tensor } from '../../tensor/create.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { homography } from './homography.ts';

export { hsvToRgb, rgbToGrayscale, rgbToHsv } from '../../ops/colours.ts';

/** Applies `compute` to images as a batch. Errors: ShapeError for other ranks than 3 and 4. */
function ofImages(op: string, images: Tensor, compute: (batch: Tensor) => Tensor): Tensor {
  const rank = images.shape.length;
  if (rank === 4) return compute(images);
  if (rank === 3) return squeeze(compute(expandDims(images, { axis: 0 })), { axis: 0 });
  throw new ShapeError({
    op,
    rule: '`images` must be [height, width, channels] or a batch of them.',
    received: `images ${formatShape(images.shape)}`,
    hint: 'add an axis for channels.',
  });
}

/** Values of one image as those of a batch of one. */
function perImage(op: string, what: string, x: Tensor, rank: number): Tensor {
  if (x.shape.length === rank) return x;
  if (x.shape.length === rank - 1) return expandDims(x, { axis: 0 });
  throw new ShapeError({
    op,
    rule: `\`${what}\` must have rank ${rank - 1} or, for a batch, ${rank}.`,
    received: `${what} ${formatShape(x.shape)}`,
    hint: 'pass one for all images, or one for each.',
  });
}

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

/** Options of `affineTransform`. */
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

/** Options of `perspectiveTransform`. */
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

/** Options of `mapCoordinates`. */
export interface MapCoordinatesOptions {
  /** 0 for the nearest value, 1 for linear interpolation. */
  order: 0 | 1;
  /** What is outside of x: `fillValue`, the nearest value, or x repeated or mirrored. Default 'constant'. */
  fillMode?: FillMode;
  /** The value outside. Default 0. */
  fillValue?: number;
}

/**
 * The values of x at points between its elements. float32. Shapes: x of rank r, coordinates [r, ..points] in elements along
 * each axis → [..points]. Differentiable in both. Errors: ShapeError, DTypeError, ValueError.
 */
export const mapCoordinates: CompositeOp<
  [x: Tensor, coordinates: Tensor],
  MapCoordinatesOptions,
  Tensor,
  ['order', 'fillMode', 'fillValue']
> = /* @__PURE__ */ defineComposite({
  name: 'mapCoordinates',
  inputs: ['x', 'coordinates'],
  options: { order: true, fillMode: true, fillValue: true },
  compose: ([x, coordinates], { order, fillMode = 'constant', fillValue = 0 }) => {
    const op = 'mapCoordinates';
    if (order !== 0 && order !== 1) throw noOrder(order);
    requireOneOf(op, 'fillMode', fillMode, fillModes);
    requireFinite(op, 'fillValue', fillValue);
    if (coordinates.shape.length < 2 || coordinates.shape[0] !== x.shape.length)
      throw noCoordinates(x, coordinates);
    const places = unstack(coordinates, { axis: 0 });
    const read = (indices: readonly Tensor[]) => valueAt(x, indices, fillMode, fillValue);
    if (order === 0) return read(places.map(rounded));
    return linear(places, [], read);
  },
});

/** Interpolates along one axis after another. */
function linear(
  [place, ...others]: readonly Tensor[],
  indices: readonly Tensor[],
  read: (indices: readonly Tensor[]) => Tensor,
): Tensor {
  if (!place) return read(indices);
  const low = floor(place);
  const below = linear(others, [...indices, low], read);
  const above = linear(others, [...indices, add(low, 1)], read);
  return add(below, mul(sub(above, below), sub(place, low)));
}

/** Ties go away from 0. */
const rounded = (place: Tensor) => where(less(place, 0), ceil(sub(place, 0.5)), floor(add(place, 0.5)));

/** The element of x at integer coordinates, some of which may be outside. */
function valueAt(x: Tensor, indices: readonly Tensor[], fillMode: FillMode, fillValue: number): Tensor {
  const inside = indices.map((index, axis) =>
    cast(indexInside(index, x.shape[axis] as number, fillMode), 'int32'),
  );
  const found = gatherNd(x, stack(inside, { axis: -1 }), { validateIndices: false });
  if (fillMode !== 'constant') return found;
  const isInside = indices
    .map((index, axis) => isWithin(index, x.shape[axis] as number))
    .reduce((both, one) => logicalAnd(both, one));
  return where(isInside, found, fillValue);
}

function indexInside(index: Tensor, size: number, fillMode: FillMode): Tensor {
  if (fillMode === 'wrap') return mod(index, size);
  if (fillMode === 'reflect') {
    const period = mod(index, 2 * size);
    return minimum(period, sub(2 * size - 1, period));
  }
  if (fillMode === 'mirror') {
    const period = mod(index, Math.max(1, 2 * (size - 1)));
    return minimum(period, sub(2 * (size - 1), period));
  }
  return clip(index, { min: 0, max: size - 1 });
}

const noOrder = (order: unknown) =>
  new ValueError({
    op: 'mapCoordinates',
    rule: '`order` is 0 for the nearest value, or 1 for linear interpolation.',
    received: `order: ${describe(order)}`,
    hint: 'pass { order: 1 }.',
  });

const noCoordinates = (x: Tensor, coordinates: Tensor) =>
  new ShapeError({
    op: 'mapCoordinates',
    rule: '`coordinates` must have a first axis with one entry for each axis of x, and another axis.',
    received: `x ${formatShape(x.shape)} and coordinates ${formatShape(coordinates.shape)}`,
    hint: 'stack the coordinates along each axis: stack([rows, columns]).',
  });

/** Options of `padImages`: two of each three, from which the third follows. */
export interface PadImagesOptions {
  /** Pixels added above. Default null: by `targetHeight`. */
  topPadding?: number | null;
  /** Pixels added below. Default null: by `targetHeight`. */
  bottomPadding?: number | null;
  /** Height of the result, in pixels. Default null: by the pixels above and below. */
  targetHeight?: number | null;
  /** Pixels added on the left. Default null: by `targetWidth`. */
  leftPadding?: number | null;
  /** Pixels added on the right. Default null: by `targetWidth`. */
  rightPadding?: number | null;
  /** Width of the result, in pixels. Default null: by the pixels on the left and right. */
  targetWidth?: number | null;
}

/** Images with zeros around them. Any dtype. Shapes: [..batch, h, w, c] → [..batch, targetHeight, targetWidth, c]. Errors: ValueError, ShapeError. */
export const padImages: CompositeOp<[images: Tensor], PadImagesOptions> = /* @__PURE__ */ defineComposite({
  name: 'padImages',
  inputs: ['images'],
  options: {
    topPadding: false,
    bottomPadding: false,
    targetHeight: false,
    leftPadding: false,
    rightPadding: false,
    targetWidth: false,
  },
  compose: ([images], { topPadding, bottomPadding, targetHeight, leftPadding, rightPadding, targetWidth }) =>
    ofImages('padImages', images, (x) => {
      const [, height, width] = x.shape as [number, number, number, number];
      const down = edges(
        'padImages',
        { topPadding, bottomPadding, targetHeight },
        (target) => target - height,
      );
      const across = edges(
        'padImages',
        { leftPadding, rightPadding, targetWidth },
        (target) => target - width,
      );
      return pad(x, { paddings: [[0, 0], down, across, [0, 0]] });
    }),
});

/** Options of `cropImages`: two of each three, from which the third follows. */
export interface CropImagesOptions {
  /** Pixels removed above. Default null: by `targetHeight`. */
  topCropping?: number | null;
  /** Pixels removed below. Default null: by `targetHeight`. */
  bottomCropping?: number | null;
  /** Height of the result, in pixels. Default null: by the pixels above and below. */
  targetHeight?: number | null;
  /** Pixels removed on the left. Default null: by `targetWidth`. */
  leftCropping?: number | null;
  /** Pixels removed on the right. Default null: by `targetWidth`. */
  rightCropping?: number | null;
  /** Width of the result, in pixels. Default null: by the pixels on the left and right. */
  targetWidth?: number | null;
}

/** Parts of images. Any dtype. Shapes: [..batch, h, w, c] → [..batch, targetHeight, targetWidth, c]. Errors: ValueError, ShapeError. */
export const cropImages: CompositeOp<[images: Tensor], CropImagesOptions> = /* @__PURE__ */ defineComposite({
  name: 'cropImages',
  inputs: ['images'],
  options: {
    topCropping: false,
    bottomCropping: false,
    targetHeight: false,
    leftCropping: false,
    rightCropping: false,
    targetWidth: false,
  },
  compose: (
    [images],
    { topCropping, bottomCropping, targetHeight, leftCropping, rightCropping, targetWidth },
  ) =>
    ofImages('cropImages', images, (x) => {
      const [, height, width] = x.shape as [number, number, number, number];
      const [top, bottom] = edges(
        'cropImages',
        { topCropping, bottomCropping, targetHeight },
        (target) => height - target,
      );
      const [left, right] = edges(
        'cropImages',
        { leftCropping, rightCropping, targetWidth },
        (target) => width - target,
      );
      return slice(x, {
        begin: [0, top, left, 0],
        size: [-1, height - top - bottom, width - left - right, -1],
      });
    }),
});

/** Returns the number of pixels before and after; `total` computes their sum from the target. Errors: ValueError. */
function edges(
  op: string,
  given: Readonly<Record<string, number | null | undefined>>,
  total: (target: number) => number,
): [before: number, after: number] {
  const names = Object.keys(given);
  const values = Object.values(given).map((value) => value ?? null);
  if (values.filter((value) => value === null).length !== 1) {
    throw new ValueError({
      op,
      rule: `two of ${names.join(', ')} are given.`,
      received: describe(
        Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      ),
      hint: `leave out ${names[2]}.`,
    });
  }
  const [before = null, after = null, target = null] = values;
  const sum = target === null ? 0 : total(target);
  const both: [number, number] = [before ?? sum - (after as number), after ?? sum - (before as number)];
  for (const i of [0, 1] as const) requireInteger(op, names[i] as string, both[i], 0);
  if (target !== null) requireInteger(op, names[2] as string, target, 0);
  return both;
}
