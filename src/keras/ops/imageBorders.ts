/** @file Images with borders added or removed: padImages, cropImages. */
import { ValueError } from '../../core/errors.ts';
import { describe, requireInteger } from '../../core/shape.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import { pad } from '../../ops/arrangement/pad.ts';
import { slice } from '../../ops/arrangement/slice.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type DataFormatOption, defineImageOp } from './channels.ts';
import { ofImages } from './imageBatches.ts';

/** Options of `padImages`: two of each three, from which the third follows. */
export interface PadImagesOptions extends DataFormatOption {
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
export const padImages: CompositeOp<[images: Tensor], PadImagesOptions> = /* @__PURE__ */ defineImageOp({
  name: 'padImages',
  inputs: ['images'],
  options: {
    topPadding: false,
    bottomPadding: false,
    targetHeight: false,
    leftPadding: false,
    rightPadding: false,
    targetWidth: false,
    dataFormat: false,
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
export interface CropImagesOptions extends DataFormatOption {
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
export const cropImages: CompositeOp<[images: Tensor], CropImagesOptions> = /* @__PURE__ */ defineImageOp({
  name: 'cropImages',
  inputs: ['images'],
  options: {
    topCropping: false,
    bottomCropping: false,
    targetHeight: false,
    leftCropping: false,
    rightCropping: false,
    targetWidth: false,
    dataFormat: false,
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
