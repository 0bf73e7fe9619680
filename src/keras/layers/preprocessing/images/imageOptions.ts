/** @file Options that image layers share: bounds of random factors, and the range of pixel values. */
import { ValueError } from '../../../../core/errors.ts';
import { isListOf } from '../../../../core/lists.ts';
import { describe } from '../../../../core/shape.ts';
import { checked, oneOf } from '../../../options/kinds.ts';
import type { Option } from '../../../options/option.ts';

/** The bounds of a random factor. The meaning of a single number depends on the option. */
export type Factor = number | readonly [number, number];
export type Bounds = readonly [number, number];

/** The range of an option. */
export interface FactorRange {
  readonly min: number;
  readonly max?: number;
  /** Whether `min` itself is excluded. */
  readonly above?: boolean;
  /**
   * The bounds that a single number means. Default: [-factor, factor], with the lower bound raised to `min` if necessary.
   */
  readonly single?: (factor: number) => Bounds;
}

/** The bounds in ascending order. Errors: ValueError for numbers outside the range. */
export function boundsOf(op: string, what: string, given: unknown, range: FactorRange): Bounds {
  const { min, max = 1, above = false } = range;
  const isWithin = (n: unknown): n is number =>
    typeof n === 'number' && (above ? n > min : n >= min) && n <= max;
  if (isWithin(given)) return (range.single ?? aroundZero(min))(given);
  if (isListOf(given, isWithin, 2)) {
    if (given.length === 2) return given.toSorted((a, b) => a - b) as unknown as Bounds;
    if (given.length === 1) return boundsOf(op, what, given[0], range);
  }
  throw new ValueError({
    op,
    rule: `\`${what}\` is a number ${above ? 'above' : 'from'} ${min} to ${max}, or a pair of them.`,
    received: `${what}: ${describe(given)}`,
    hint: `pass ${max > 1 ? max / 2 : 0.2}.`,
  });
}

const aroundZero =
  (min: number) =>
  (factor: number): Bounds => {
    const size = Math.abs(factor);
    return [Math.max(-size, min), size];
  };

/** The range of a pixel's values in ascending order. Errors: ValueError for anything else. */
function valueRangeOf(op: string, given: unknown): Bounds {
  const isRange =
    Array.isArray(given) &&
    given.length === 2 &&
    given.every((n) => Number.isFinite(n)) &&
    given[0] !== given[1];
  if (isRange) return given.toSorted((a, b) => a - b) as unknown as Bounds;
  throw new ValueError({
    op,
    rule: '`valueRange` is the smallest and the largest value of a pixel.',
    received: `valueRange: ${describe(given)}`,
    hint: 'pass [0, 255], or [0, 1].',
  });
}

/** Height and width of results, in pixels. */
export interface ImageSize {
  readonly height: number;
  readonly width: number;
}

/** The kind of the bounds of a random factor. */
export const factorOf = (range: FactorRange, fallback?: Factor): Option<Bounds> =>
  checked((op, what, given: unknown) => boundsOf(op, what, given, range), fallback);

/** The kind of bounds that configurations have as they were given. */
export const givenFactor = (range: FactorRange, fallback?: null): Option<Bounds> =>
  checked((op, what, given: unknown) => {
    boundsOf(op, what, given, range);
    return given as Bounds;
  }, fallback);

/** The kind of `valueRange`. */
export const valueRange = (): Option<Bounds> =>
  checked((op, _, given: unknown) => valueRangeOf(op, given), [0, 255]);

/** Interpolations between pixels. */
export const betweenPixels = () => oneOf(['bilinear', 'nearest'], 'bilinear');
