/** @file Fill modes: the values of pixels outside an image, for ops that read them. */
import type { Tensor } from '../tensor/tensor.ts';
import { add, mul, neg, sub } from './arithmetic.ts';
import { clip } from './clip.ts';
import { greater, less } from './comparison.ts';
import { mod } from './division.ts';
import { minimum } from './maximum.ts';
import { floor } from './rounding.ts';
import { where } from './where.ts';

export const fillModes = ['constant', 'nearest', 'wrap', 'reflect', 'mirror'] as const;

/** A constant, the nearest pixel, the image repeated, or its mirror image with or without the edge repeated. */
export type FillMode = (typeof fillModes)[number];

/** Positions on an axis of `size` pixels with those outside mapped to pixels inside. */
export function broughtInside(position: Tensor, size: number, fillMode: FillMode): Tensor {
  if (fillMode === 'wrap') return clip(wrapped(position, size), { min: 0, max: size - 1 });
  if (fillMode === 'mirror') return mirrored(position, size);
  if (fillMode !== 'reflect') return position;
  // The period is twice the size: the mirror is half a pixel beyond the edge pixel.
  const period = mod(add(position, 0.5), 2 * size);
  const folded = sub(minimum(period, sub(2 * size, period)), 0.5);
  return clip(folded, { min: 0, max: size - 1 });
}

/** Mirrored at the centre of the edge pixel. */
function mirrored(position: Tensor, size: number): Tensor {
  const period = mod(position, Math.max(1, 2 * (size - 1)));
  return minimum(period, sub(2 * (size - 1), period));
}

/** Wraps around as TensorFlow does: from the last pixel to the next first one, the value is that of the edge pixel. */
function wrapped(position: Tensor, size: number): Tensor {
  const periods = (distance: Tensor) => mul(floor(mul(distance, 1 / Math.max(1, size - 1))), size);
  const before = add(position, add(periods(neg(position)), size));
  const behind = sub(position, periods(position));
  return where(less(position, 0), before, where(greater(position, size - 1), behind, position));
}
