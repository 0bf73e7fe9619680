/** @file Strided iteration over operands: broadcast strides, merged axes, elements per invocation. */
import { type Shape, stridesOf } from '../../core/shape.ts';
import type { AdapterProfile } from '../selection/adapterProfile.ts';

/** With fewer elements, each gets its own invocation: a launch takes longer than all of them. */
const manyElements = 512;

/** Returns how many of `count` elements an invocation moves: the largest number that `fits` and the adapter's profile allow. */
export function elementsPerInvocation(
  { strided }: AdapterProfile,
  count: number,
  fits: (elements: number) => boolean,
): number {
  if (strided.elementsPerInvocation === 1 || count < manyElements) return 1;
  return [8, 4, 2].find(fits) ?? 1;
}

/** Returns how many of `count` elements in lines of `length` an invocation moves: a whole line if it is short. */
export function elementsOfLine(profile: AdapterProfile, count: number, length: number): number {
  return Math.min(
    length,
    elementsPerInvocation(profile, count, () => true),
  );
}

/** Returns the strides of a tensor of shape `from` broadcast to shape `to`: 0 along broadcast axes. */
export function broadcastStrides(from: Shape, to: Shape): number[] {
  const own = stridesOf(from);
  const offset = to.length - from.length;
  return to.map((_, i) => (i < offset || from[i - offset] === 1 ? 0 : (own[i - offset] as number)));
}

/** Drops axes of size 1, and merges adjacent axes that every operand traverses with a single stride. */
export function mergeAxes(
  shape: Shape,
  strides: readonly (readonly number[])[],
): { shape: number[]; strides: number[][] } {
  const merged: number[] = [];
  const mergedStrides: number[][] = strides.map(() => []);
  for (let axis = 0; axis < shape.length; axis++) {
    const n = shape[axis] as number;
    if (n === 1) continue;
    const last = merged.length - 1;
    const joins =
      last >= 0 && strides.every((s, k) => (mergedStrides[k] as number[])[last] === (s[axis] as number) * n);
    if (joins) merged[last] = (merged[last] as number) * n;
    else merged.push(n);
    const at = joins ? last : merged.length - 1;
    strides.forEach((s, k) => {
      (mergedStrides[k] as number[])[at] = s[axis] as number;
    });
  }
  return { shape: merged, strides: mergedStrides };
}
