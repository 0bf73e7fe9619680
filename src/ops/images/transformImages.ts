/** @file transformImages */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireFinite, requireOneOf, requireRank } from '../../core/shape.ts';
import { perAxis } from '../../core/windows.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, div, mul, neg } from '../elementwise/arithmetic.ts';
import { equal } from '../elementwise/comparison.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { type FillMode, fillModes } from './fillModes.ts';
import { range } from '../creation/range.ts';
import { reshape } from '../arrangement/reshape.ts';
import { defineSampling, type Interpolation, type SamplingOp } from './sampleImages.ts';
import { stack } from '../arrangement/stack.ts';
import { unstack } from '../arrangement/unstack.ts';
import { sum, sumToShape } from '../reductions/sum.ts';
import { where } from '../elementwise/where.ts';

export interface TransformImagesOptions {
  /** How pixels are interpolated: 'nearest' or 'bilinear'. Default 'bilinear'. */
  interpolation?: Interpolation;
  /**
   * Pixels outside the image: `fillValue` ('constant', default), the nearest pixel ('nearest'), the image repeated ('wrap'), or
   * its mirror image, with the edge repeated ('reflect') or not ('mirror').
   */
  fillMode?: FillMode;
  /** Value of pixels outside the image for fillMode 'constant', and of pixels infinitely far away. Default 0. */
  fillValue?: number;
  /** Height and width of a result. Default: those of the images. */
  outputSize?: number | readonly number[];
}

/**
 * Images transformed by affine or projective maps. A map is [a0, a1, a2, b0, b1, b2, c0, c1]: pixel (x, y) of a result is
 * that of the image at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1; where k is 0, it is
 * `fillValue`. float32. Shapes: images [n, h, w, c], transforms [n, 8], or [1, 8] for all → [n, height, width, c].
 * Differentiable in images and transforms.
 * Source: TensorFlow's ImageProjectiveTransformV3.
 * Errors: ShapeError, DTypeError, ValueError.
 */
export const transformImages: CompositeOp<
  [images: Tensor, transforms: Tensor],
  TransformImagesOptions,
  Tensor,
  ['interpolation', 'fillMode', 'fillValue', 'outputSize']
> = /* @__PURE__ */ defineComposite({
  name: 'transformImages',
  acceptsFloat16: false,
  inputs: ['images', 'transforms'],
  options: { interpolation: true, fillMode: true, fillValue: true, outputSize: true },
  compose: ([images, transforms], options) => {
    const { interpolation = 'bilinear', fillMode = 'constant', fillValue = 0, outputSize } = options;
    const op = 'transformImages';
    requireShapes(images, transforms);
    requireOneOf(op, 'interpolation', interpolation, ['bilinear', 'nearest']);
    requireOneOf(op, 'fillMode', fillMode, fillModes);
    requireFinite(op, 'fillValue', fillValue);
    const [, height, width] = images.shape as [number, number, number, number];
    const [down, across] = perAxis(op, 'outputSize', outputSize ?? [height, width], 2) as [number, number];
    return sampleMapped(images, transforms, null, {
      size: [down, across],
      interpolation,
      fillMode,
      fillValue,
    });
  },
});

const sampleMapped: SamplingOp = /* @__PURE__ */ defineSampling('sampleMapped', {
  kind: 'maps',
  positions: (transforms, _, [down, across]) => {
    const column = reshape(range(0, across), { shape: [1, 1, across] });
    const row = reshape(range(0, down), { shape: [1, down, 1] });
    const [a0, a1, a2, b0, b1, b2, c0, c1] = unstack(reshape(transforms, { shape: [-1, 8, 1, 1] }), {
      axis: 1,
    }) as [Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor];
    const linear = (a: Tensor, b: Tensor) => add(mul(a, column), mul(b, row));
    const scale = add(linear(c0, c1), 1);
    const isFilled = equal(scale, 0);
    const divisor = where(isFilled, 1, scale);
    return {
      x: div(add(linear(a0, a1), a2), divisor),
      y: div(add(linear(b0, b1), b2), divisor),
      isFilled,
      column,
      row,
      divisor,
    };
  },
  gradient: ({ x, y, column, row, divisor }, dy, dx, _, transforms) => {
    // The cotangents of the two numerators and of the divisor.
    const a = div(dx, divisor);
    const b = div(dy, divisor);
    const c = neg(add(mul(a, x), mul(b, y)));
    const total = (terms: Tensor) => sum(terms, { axis: [1, 2] });
    const linear = (d: Tensor) => [total(mul(d, column)), total(mul(d, row))];
    const gradients = [...linear(a), total(a), ...linear(b), total(b), ...linear(c)];
    return sumToShape(stack(gradients, { axis: 1 }), transforms);
  },
});

function requireShapes(images: Tensor, transforms: Tensor): void {
  const op = 'transformImages';
  requireRank(op, 'images', images.shape, 4);
  requireDType(op, 'images', images.dtype, ['float32']);
  requireDType(op, 'transforms', transforms.dtype, ['float32']);
  const [n, count] = transforms.shape;
  const fits = transforms.shape.length === 2 && count === 8 && (n === 1 || n === images.shape[0]);
  if (fits && !images.shape.includes(0)) return;
  throw new ShapeError({
    op,
    rule: '`transforms` must be [n, 8] or [1, 8] for n images that have pixels.',
    received: `images ${formatShape(images.shape)} and transforms ${formatShape(transforms.shape)}`,
    hint: 'the identity is [1, 0, 0, 0, 1, 0, 0, 0].',
  });
}
