/** @file The kinds of options. A kind without a default is of a required option; null as a default means that null may be given. */
import { oneOf as nameOf, requireBoolean, requireFinite, requireInteger } from '../../core/shape.ts';
import { checkSeed } from '../../ops/define/seeds.ts';
import type { Option } from './option.ts';

/** The smallest value that is accepted, and the value of an option that was left out. */
interface Limits<D> {
  readonly min?: number;
  readonly default?: D;
}

/**
 * An option with a check or a conversion of its own. `parse` gets the value, or the default, and returns what the field holds;
 * one that returns nothing leaves it as it is.
 */
export function checked<V>(
  parse: (op: string, what: string, value: never) => V,
  fallback?: unknown,
): Option<V extends void ? never : V> {
  return {
    read: (given = fallback, { op, what }) =>
      given === null && fallback === null ? null : (parse(op, what, given as never) ?? given),
  } as Option<never>;
}

/** An integer of at least `min`, 1 by default. */
export function integer<D extends number | null = number>({
  min = 1,
  default: fallback,
}: Limits<D> = {}): Option<number | D> {
  return checked((op, what, value) => requireInteger(op, what, value, min), fallback);
}

/** A finite number of at least `min`. */
export function number<D extends number | null = number>({
  min,
  default: fallback,
}: Limits<D> = {}): Option<number | D> {
  return checked((op, what, value) => requireFinite(op, what, value, min), fallback);
}

/** True or false. */
export function flag(fallback?: boolean): Option<boolean> {
  return checked((op, what, value) => requireBoolean(op, what, value), fallback);
}

/** One of several names, spelled as in JavaScript or as in Keras. */
export function oneOf<const T extends string, D extends T | null = T>(
  allowed: readonly T[],
  fallback?: D,
): Option<T | D> {
  return checked((op, what, value) => nameOf(op, what, value, allowed), fallback);
}

/** An option for which null may be given, although it has another default. */
export function nullable<V>(option: Option<V>): Option<V | null> {
  return { ...option, read: (given, place) => (given === null ? null : option.read(given, place)) };
}

/** A seed: an integer in [0, 2^53), or null. */
export function seeded(): Option<number | null> {
  return checked((op, _, seed) => {
    if (seed !== null) checkSeed(op, seed);
    return seed as number | null;
  }, null);
}

/** An option that the class reads itself. Configurations don't have it unless the class writes it. */
export const own: Option<never> = { read: (given) => given as never, write: null, hidden: true };
