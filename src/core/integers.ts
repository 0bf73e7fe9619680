/** @file Checks that numbers are integers within the range of a dtype. */
import { type DType, isInteger } from './dtype.ts';
import { describe } from './describe.ts';
import { ValueError } from './errors.ts';

export type IntegerDType = 'int32' | 'uint32';

const ranges: Record<IntegerDType, readonly [lowest: number, highest: number]> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
};

/** Returns the smallest and the largest value. */
export function rangeOf(dtype: IntegerDType): readonly [lowest: number, highest: number] {
  return ranges[dtype];
}

/** Returns the error for a `value` that `dtype` doesn't hold, called `what`. */
export function notHeld(op: string, what: string, value: unknown, dtype: IntegerDType): ValueError {
  const [lowest, highest] = ranges[dtype];
  const isFraction = Number.isFinite(value) && !Number.isInteger(value);
  return new ValueError({
    op,
    rule: `${dtype} holds integers in [${lowest}, ${highest}].`,
    received: `${what}: ${describe(value)}`,
    hint: isFraction
      ? 'round it first, or use float32.'
      : 'correct it, or use float32; cast(x) of a float32 tensor saturates, and makes 0 of NaN.',
  });
}

/**
 * Throws unless the option `what` is a number that `dtype` holds. Floats hold all numbers, and bools take them as true or
 * false.
 */
export function requireNumber(
  op: string,
  what: string,
  value: unknown,
  dtype: DType,
): asserts value is number {
  if (typeof value !== 'number') {
    throw new ValueError({
      op,
      rule: `\`${what}\` must be a number.`,
      received: `${what}: ${describe(value)}`,
      hint: 'pass a number such as 0.',
    });
  }
  if (!isInteger(dtype)) return;
  const [lowest, highest] = ranges[dtype as IntegerDType];
  if (!Number.isInteger(value) || value < lowest || value > highest)
    throw notHeld(op, what, value, dtype as IntegerDType);
}

/** Rounds to the nearest integer, ties to the even one, as Python and NumPy do. */
export function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}
