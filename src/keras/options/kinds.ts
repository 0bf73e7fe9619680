/** @file The kinds of options. A kind without a default is of a required option; null as a default means that null may be given. */
import { oneOf as nameOf, requireBoolean, requireFinite, requireInteger } from '../../core/shape.ts';
import { type PerAxis, perAxis } from '../../core/windows.ts';
import { type Activation, activationOf, serializeActivation } from '../activations.ts';
import { type Constraint, type ConstraintLike, constraintOf } from '../constraints/index.ts';
import { type Initializer, type InitializerLike, initializerOf } from '../initializers/index.ts';
import { configOf } from '../namedObjects.ts';
import { type Regularizer, type RegularizerLike, regularizerOf } from '../regularizers/index.ts';
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

/** A name of an activation, or a function; linear if it was left out. */
export function activation(fallback: string | null = null): Option<Activation> {
  return {
    read: (given = fallback) => activationOf(given as string | null),
    write: (value: Activation) => serializeActivation(value),
  };
}

/** One positive integer for each of `rank` axes; a single number means all. */
export function perAxisOf<R extends 1 | 2 | 3>(rank: R, fallback?: number): Option<PerAxis<R>> {
  return checked((op, what, value) => perAxis(op, what, value, rank), fallback);
}

/** The initial values of a weight, for one without a penalty or a constraint. */
export const initializer = (fallback: InitializerLike): Option<Initializer> => ({
  read: (given) => initializerOf((given ?? fallback) as InitializerLike),
  write: configOf,
  hidden: true,
});

const regularizer: Option<Regularizer | null> = {
  read: (given) => regularizerOf(given as RegularizerLike | null),
  write: configOf,
  hidden: true,
};

const constraint: Option<Constraint | null> = {
  read: (given) => constraintOf(given as ConstraintLike | null),
  write: configOf,
  hidden: true,
};

type Rules<W extends string> = { readonly [K in `${W}Initializer`]: Option<Initializer> } & {
  readonly [K in `${W}Regularizer`]: Option<Regularizer | null>;
} & { readonly [K in `${W}Constraint`]: Option<Constraint | null> };

/** Initializer, regularizer and constraint of each weight, in Keras's order, from the default initializers. */
export function weights<W extends string>(initializers: Readonly<Record<W, InitializerLike>>): Rules<W> {
  const names = Object.keys(initializers) as W[];
  const all = (kind: string, option: (weight: W) => Option) =>
    names.map((weight) => [`${weight}${kind}`, option(weight)] as const);
  return Object.fromEntries([
    ...all('Initializer', (weight) => initializer(initializers[weight])),
    ...all('Regularizer', () => regularizer),
    ...all('Constraint', () => constraint),
  ]) as unknown as Rules<W>;
}
