/** @file The kinds of options of optimizers and schedules: numbers in a range. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { checked } from '../options/kinds.ts';
import type { Option } from '../options/option.ts';

export { checked, flag, integer, nullable, number } from '../options/kinds.ts';

/** Throws unless `holds`; `rule` describes valid values: 'a number in [0, 1)'. */
export function requireOption(op: string, what: string, value: unknown, holds: boolean, rule: string): void {
  if (holds) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is ${rule}.`,
    received: `${what}: ${describe(value)}`,
    hint: 'correct it, or omit it for the default.',
  });
}

/** A finite number for which `holds`, as `rule` says: 'a number in [0, 1)'. Null as a default means that null may be given. */
export function within<D extends number | null = number>(
  rule: string,
  holds: (value: number) => boolean,
  fallback?: D,
): Option<number | D> {
  return checked((op, what, value: unknown) => {
    requireOption(op, what, value, Number.isFinite(value) && holds(value as number), rule);
  }, fallback);
}

/** A number in [0, 1). */
export const share = (fallback: number): Option<number> =>
  within('a number in [0, 1)', (n) => n >= 0 && n < 1, fallback);

/** A number in [0, 1]. */
export const fraction = (fallback: number): Option<number> =>
  within('a number in [0, 1]', (n) => n >= 0 && n <= 1, fallback);

/** A number of at least 0. */
export const notNegative = <D extends number | null = number>(fallback?: D): Option<number | D> =>
  within('a number of at least 0', (n) => n >= 0, fallback);

/** A number of at most 0. */
export const notPositive = (fallback: number): Option<number> =>
  within('a number of at most 0', (n) => n <= 0, fallback);

/** A number above 0. */
export const positive = <D extends number | null = number>(fallback?: D): Option<number | D> =>
  within('a number above 0', (n) => n > 0, fallback);

/** The decays and the epsilon of Adam and its variants. */
export const moments = (epsilon = 1e-7) => ({
  beta1: share(0.9),
  beta2: share(0.999),
  epsilon: notNegative(epsilon),
});
