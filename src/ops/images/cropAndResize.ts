/** @file cropAndResize */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireFinite, requireOneOf, requireRank } from '../../core/shape.ts';
import { perAxis } from '../../core/windows.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, div, mul, sub } from '../elementwise/arithmetic.ts';
import { cast } from '../elementwise/cast.ts';
import { equal } from '../elementwise/comparison.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { expandDims } from '../arrangement/expandDims.ts';
import { gather } from '../indexing/gather.ts';
import { isWithin } from './fillModes.ts';
import { logicalAnd, logicalNot } from '../elementwise/logical.ts';
import { linspace, range } from '../creation/range.ts';
import { reshape } from '../arrangement/reshape.ts';
import { defineSampling, type Interpolation, type SamplingOp } from './sampleImages.ts';
import { stack } from '../arrangement/stack.ts';
import { unstack } from '../arrangement/unstack.ts';
import { sum } from '../reductions/sum.ts';
import { where } from '../elementwise/where.ts';

export interface CropAndResizeOptions {
  /** Height and width of a crop, in pixels. */
  size: number | readonly number[];
  /** How pixels are interpolated: 'bilinear' or 'nearest'. Default 'bilinear'. */
  interpolation?: Interpolation;
  /** The value outside the image. Default 0. */
  fillValue?: number;
  /** Whether a box of a nonexistent image is a fault (default), or reads as zeros. */
  validateIndices?: boolean;
}

/**
 * Crops of images, all resized to one size. A box is [y1, x1, y2, x2], where 0 and 1 are the centres of the first and the
 * last pixel; a reversed box (y1 > y2) flips. A crop one pixel high takes the middle. float32. Shapes: images [n, h, w, c],
 * boxes [k, 4], boxIndices [k] of integers → [k, height, width, c]. Differentiable in images and boxes.
 * Source: TensorFlow's crop_and_resize.
 * Errors: ShapeError, DTypeError, ValueError; IndexOutOfRangeError for a box of a nonexistent image.
 */
export const cropAndResize: CompositeOp<
  [images: Tensor, boxes: Tensor, boxIndices: Tensor],
  CropAndResizeOptions,
  Tensor,
  ['size', 'interpolation', 'fillValue']
> = /* @__PURE__ */ defineComposite({
  name: 'cropAndResize',
  acceptsFloat16: false,
  inputs: ['images', 'boxes', 'boxIndices:int32'],
  options: { size: true, interpolation: true, fillValue: true, validateIndices: false },
  compose: ([images, boxes, boxIndices], options) => {
    const { size, interpolation = 'bilinear', fillValue = 0, validateIndices = true } = options;
    const op = 'cropAndResize';
    requireShapes(images, boxes, boxIndices);
    requireOneOf(op, 'interpolation', interpolation, ['bilinear', 'nearest']);
    requireFinite(op, 'fillValue', fillValue);
    const [down, across] = perAxis(op, 'size', size, 2) as [number, number];
    // Validates the indices, and reports the one that is out of range.
    const every = range(0, images.shape[0] as number, 1, { dtype: 'int32' });
    const image = gather(every, boxIndices, { validateIndices });
    const crops = sampleBoxes(images, boxes, image, {
      size: [down, across],
      interpolation,
      fillMode: 'nearest',
      fillValue,
    });
    if (validateIndices) return crops;
    // An index out of range was gathered as 0, the first image.
    const exists = equal(image, cast(boxIndices, 'int32'));
    return where(reshape(exists, { shape: [-1, 1, 1, 1] }), crops, 0);
  },
});

/** Samples that are in a box but not in the image are `fillValue`. */
const sampleBoxes: SamplingOp = /* @__PURE__ */ defineSampling('sampleBoxes', {
  kind: 'boxes',
  positions: (boxes, [, height, width], [down, across]) => {
    const [top, left, bottom, right] = unstack(boxes, { axis: 1 }) as [Tensor, Tensor, Tensor, Tensor];
    const y = expandDims(positions(top, bottom, down, height as number), { axis: 2 });
    const x = expandDims(positions(left, right, across, width as number), { axis: 1 });
    const isInside = logicalAnd(isWithin(y, height as number), isWithin(x, width as number));
    return { y, x, isFilled: logicalNot(isInside) };
  },
  gradient: (_, dy, dx, [, height, width]) => {
    const [top, bottom] = endGradients(sum(dy, { axis: 2 }), height as number);
    const [left, right] = endGradients(sum(dx, { axis: 1 }), width as number);
    return stack([top, left, bottom, right], { axis: 1 });
  },
});

/** Returns where `count` samples from `first` to `last` lie on an axis of `size` pixels: [boxes, count]. */
function positions(first: Tensor, last: Tensor, count: number, size: number): Tensor {
  const column = (x: Tensor) => expandDims(x, { axis: 1 });
  const scaled = (x: Tensor) => mul(column(x), size - 1);
  if (count === 1) return mul(add(scaled(first), scaled(last)), 0.5);
  const steps = div(sub(scaled(last), scaled(first)), count - 1);
  const inOrder = range(0, count, 1, { dtype: 'int32' });
  // The last sample is exactly at the end: rounding must not put it outside of the image.
  return where(
    equal(inOrder, count - 1),
    scaled(last),
    add(scaled(first), mul(steps, cast(inOrder, 'float32'))),
  );
}

/** The gradients of `first` and `last` from that of the positions, [boxes, count]. */
function endGradients(dPositions: Tensor, size: number): [Tensor, Tensor] {
  const count = dPositions.shape[1] as number;
  const shares = count === 1 ? 0.5 : linspace(0, 1, count);
  const scaled = mul(dPositions, size - 1);
  const last = sum(mul(scaled, shares), { axis: 1 });
  return [sub(sum(scaled, { axis: 1 }), last), last];
}

function requireShapes(images: Tensor, boxes: Tensor, boxIndices: Tensor): void {
  const op = 'cropAndResize';
  requireRank(op, 'images', images.shape, 4);
  requireDType(op, 'images', images.dtype, ['float32']);
  requireDType(op, 'boxes', boxes.dtype, ['float32']);
  requireDType(op, 'boxIndices', boxIndices.dtype, ['int32', 'uint32']);
  const fits = boxes.shape.length === 2 && boxes.shape[1] === 4 && boxIndices.shape.length === 1;
  if (fits && boxes.shape[0] === boxIndices.shape[0] && !images.shape.includes(0)) return;
  throw new ShapeError({
    op,
    rule: '`boxes` must be [k, 4] and `boxIndices` [k], for images that have pixels.',
    received: `images ${formatShape(images.shape)}, boxes ${formatShape(boxes.shape)} and boxIndices ${formatShape(boxIndices.shape)}`,
    hint: 'pass [y1, x1, y2, x2] and the image of each box.',
  });
}
