/** @file The kinds of options of layers with weights: activations, rules of weights, and numbers along axes. */
import { type PerAxis, perAxis } from '../../core/windows.ts';
import { type Activation, activationOf, serializeActivation } from '../activations.ts';
import { type Constraint, constraintOf } from '../constraints/index.ts';
import { type Initializer, type InitializerLike, initializerOf } from '../initializers/index.ts';
import { configOf, type Configured } from '../namedObjects.ts';
import { type Regularizer, regularizerOf } from '../regularizers/index.ts';
import { checked } from './kinds.ts';
import type { Option } from './option.ts';

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

/** A rule of a weight, which `of` finds. */
const rule = <T extends Configured | null>(of: (given: never) => T, fallback?: unknown): Option<T> => ({
  read: (given) => of((given ?? fallback) as never),
  write: configOf,
  hidden: true,
});

/** The initial values of a weight, for one without a penalty or a constraint. */
export const initializer = (fallback: InitializerLike): Option<Initializer> => rule(initializerOf, fallback);

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
    ...all('Regularizer', () => rule(regularizerOf)),
    ...all('Constraint', () => rule(constraintOf)),
  ]) as unknown as Rules<W>;
}
