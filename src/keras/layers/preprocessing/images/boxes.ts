/** @file Random boxes in images, and the pixels inside. */
import type { Tensor } from '../../../../tensor/tensor.ts';
import { add, mul, sub } from '../../../../ops/elementwise/arithmetic.ts';
import { greaterEqual, less } from '../../../../ops/elementwise/comparison.ts';
import { logicalAnd } from '../../../../ops/elementwise/logical.ts';
import { range } from '../../../../ops/creation/range.ts';
import { reshape } from '../../../../ops/arrangement/reshape.ts';

/** Where boxes begin and end on an axis, [batch, 1, 1, 1]. */
export type Span = readonly [from: Tensor, to: Tensor];

/** Spans that cover the fraction `share` of `size` pixels; `place` in [0, 1) is their relative position. */
export function spanOf(size: number, share: Tensor, place: Tensor): Span {
  const length = mul(share, size);
  const from = mul(place, sub(size, length));
  return [from, add(from, length)];
}

/** Which pixels of images are inside boxes, bool [batch, height, width, 1]. */
export function pixelsInside(images: Tensor, rows: Span, columns: Span): Tensor {
  const [, height, width] = images.shape as [number, number, number];
  const isWithin = (size: number, shape: number[], [from, to]: Span) => {
    const position = reshape(range(0, size), { shape });
    return logicalAnd(greaterEqual(position, from), less(position, to));
  };
  return logicalAnd(isWithin(height, [1, height, 1, 1], rows), isWithin(width, [1, 1, width, 1], columns));
}
