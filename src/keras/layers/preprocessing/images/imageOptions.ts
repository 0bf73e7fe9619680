/** @file Options that layers of images share: bounds of what is drawn, and the range of a pixel's values. */
import { ValueError } from '../../../../core/errors.ts';
import { isListOf } from '../../../../core/lists.ts';
import { describe, requireInteger } from '../../../../core/shape.ts';

/** What is drawn lies between a pair of bounds; what a number stands for depends on the option. */
export type Factor = number | readonly [number, number];
export type Bounds = readonly [number, number];

/** The numbers that an option takes; `lowest` is what -factor is raised to where a number stands for both bounds. */
export interface FactorRange {
  readonly least: number;
  readonly most?: number;
  /** Whether `least` itself is excluded. */
  readonly above?: boolean;
  /** What a single number stands for. Default: from minus it, as far as `least` lets it, to it. */
  readonly single?: (factor: number) => Bounds;
}

/** The bounds in ascending order. Errors: ValueError for numbers outside the range. */
export function boundsOf(op: string, what: string, given: unknown, range: FactorRange): Bounds {
  const { least, most = 1, above = false } = range;
  const isWithin = (n: unknown): n is number =>
    typeof n === 'number' && (above ? n > least : n >= least) && n <= most;
  if (isWithin(given)) return (range.single ?? aroundZero(least))(given);
  if (isListOf(given, isWithin, 2)) {
    if (given.length === 2) return given.toSorted((a, b) => a - b) as unknown as Bounds;
    if (given.length === 1) return boundsOf(op, what, given[0], range);
  }
  throw new ValueError({
    op,
    rule: `\`${what}\` is a number ${above ? 'above' : 'from'} ${least} to ${most}, or a pair of them.`,
    received: `${what}: ${describe(given)}`,
    hint: `pass ${most > 1 ? most / 2 : 0.2}.`,
  });
}

const aroundZero =
  (least: number) =>
  (factor: number): Bounds => {
    const size = Math.abs(factor);
    return [Math.max(-size, least), size];
  };

/** The range of a pixel's values in ascending order. Errors: ValueError for what is none. */
export function valueRangeOf(op: string, given: unknown = [0, 255]): Bounds {
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

export interface ImageSize {
  readonly height: number;
  readonly width: number;
}

/** Height and width of results. Errors: ValueError unless they are whole numbers above 0. */
export function sizeOption(op: string, { height, width }: ImageSize): ImageSize {
  requireInteger(op, 'height', height, 1);
  requireInteger(op, 'width', width, 1);
  return { height, width };
}
