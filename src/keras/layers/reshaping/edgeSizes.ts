/** @file How much to crop or pad before and after each axis. */
import { ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';

/** Before and after an axis. */
export type Sides = readonly [number, number];

/** Numbers before and after each of two axes: from one for all, one for each axis, or [before, after] for each. */
export function sidesOfImage(
  op: string,
  what: string,
  value: unknown,
): readonly [readonly [number, number], readonly [number, number]] {
  const axes = Array.isArray(value) ? value : [value, value];
  const sides = axes.map((axis) => (Array.isArray(axis) ? axis : [axis, axis]));
  if (sides.length === 2 && sides.every(isCountPair)) return sides as never;
  throw new ValueError({
    op,
    rule: `\`${what}\` is an integer, one for height and one for width, or [[top, bottom], [left, right]].`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass 1, [1, 2], or [[0, 1], [0, 1]].',
  });
}

/** Numbers before and after each of three axes: from one for all, one for each axis, or [before, after] for each. */
export function sidesOfVolume(op: string, what: string, value: unknown): readonly Sides[] {
  const axes: readonly unknown[] = Array.isArray(value) ? value : [value, value, value];
  const sides = axes.map((axis): unknown => (Array.isArray(axis) ? axis : [axis, axis]));
  if (sides.length === 3 && sides.every(isCountPair)) return sides;
  throw new ValueError({
    op,
    rule: `\`${what}\` is an integer, one for each of three axes, or [before, after] for each.`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass 1, [1, 2, 1], or [[0, 1], [0, 1], [0, 1]].',
  });
}

/** Numbers before and after a sequence: from one for both, or [before, after]. */
export function sidesOfSequence(op: string, what: string, value: unknown): readonly [number, number] {
  const sides = Array.isArray(value) ? value : [value, value];
  if (isCountPair(sides)) return sides;
  throw new ValueError({
    op,
    rule: `\`${what}\` is an integer, or [before, after].`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass 1, or [1, 0].',
  });
}

function isCountPair(sides: unknown): sides is readonly [number, number] {
  return (
    Array.isArray(sides) &&
    sides.length === 2 &&
    sides.every((n) => Number.isInteger(n) && (n as number) >= 0)
  );
}
