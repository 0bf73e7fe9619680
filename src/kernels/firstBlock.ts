/** @file Where the blocks begin by which kernels for a known window divide an axis (shaders/depthwise/axis.ts). */
import { type Direction, valuesBefore } from '../../shaders/depthwise/axis.ts';
import type { WindowAxis } from '../core/windows.ts';

/** Where the first block begins, in the result and in what is read. */
export function firstBlock(direction: Direction, { window, stride, before }: WindowAxis) {
  if (direction === 'forward') return { from: -before, to: 0 };
  // Blocks begin on multiples of the stride, counted from the start of the padding.
  const first = Math.floor(before / stride);
  return { from: first - valuesBefore(window, stride), to: first * stride - before };
}
