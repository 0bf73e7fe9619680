/** @file Fill modes: the values of pixels outside an image, for ops that read them. */
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, neg, sub } from '../elementwise/arithmetic.ts';
import { clip } from '../elementwise/clip.ts';
import { greater, greaterEqual, less, lessEqual } from '../elementwise/comparison.ts';
import { mod } from '../elementwise/division.ts';
import { logicalAnd } from '../elementwise/logical.ts';
import { minimum } from '../elementwise/maximum.ts';
import { floor } from '../elementwise/rounding.ts';
import { where } from '../elementwise/where.ts';

export const fillModes = ['constant', 'nearest', 'wrap', 'reflect', 'mirror'] as const;

/** A constant, the nearest pixel, the image repeated, or its mirror image with or without the edge repeated. */
export type FillMode = (typeof fillModes)[number];

/** Positions on an axis of `size` pixels with those outside mapped to pixels inside. */
export function broughtInside(position: Tensor, size: number, fillMode: FillMode): Tensor {
  if (fillMode === 'wrap') return clip(wrapped(position, size), { min: 0, max: size - 1 });
  if (fillMode === 'mirror') return folded(inPeriod(position, size, fillMode), 2 * (size - 1));
  if (fillMode !== 'reflect') return position;
  return clip(sub(folded(inPeriod(position, size, fillMode), 2 * size), 0.5), { min: 0, max: size - 1 });
}

/** The derivative of `broughtInside`: -1 in mirror images, 0 where edges are repeated; null if it is 1 everywhere. */
export function derivativeInside(position: Tensor, size: number, fillMode: FillMode): Tensor | null {
  if (fillMode === 'constant' || fillMode === 'nearest') return null;
  if (fillMode === 'wrap') return where(isWithin(wrapped(position, size), size), 1, 0);
  const period = inPeriod(position, size, fillMode);
  if (fillMode === 'mirror') return where(greater(period, size - 1), -1, 1);
  const derivative = where(greater(period, size), -1, 1);
  return where(isWithin(sub(folded(period, 2 * size), 0.5), size), derivative, 0);
}

/** Whether `position` is one of [0, size - 1]. */
export function isWithin(position: Tensor, size: number): Tensor {
  return logicalAnd(greaterEqual(position, 0), lessEqual(position, size - 1));
}

/** Positions in an image and its mirror image: that is half a pixel beyond the edge pixel, or begins at its centre. */
function inPeriod(position: Tensor, size: number, fillMode: 'reflect' | 'mirror'): Tensor {
  if (fillMode === 'reflect') return mod(add(position, 0.5), 2 * size);
  return mod(position, Math.max(1, 2 * (size - 1)));
}

const folded = (position: Tensor, period: number): Tensor => minimum(position, sub(period, position));

/** Wraps around as TensorFlow does: from the last pixel to the next first one, the value is that of the edge pixel. */
function wrapped(position: Tensor, size: number): Tensor {
  const periods = (distance: Tensor) => mul(floor(mul(distance, 1 / Math.max(1, size - 1))), size);
  const before = add(position, add(periods(neg(position)), size));
  const behind = sub(position, periods(position));
  return where(less(position, 0), before, where(greater(position, size - 1), behind, position));
}
