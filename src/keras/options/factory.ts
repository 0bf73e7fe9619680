/**
 * @file The factory of a class: it takes the options in one object, or the first of them by position, as in Keras. Its type consists of
 * plain calls with named parameters, which editors and declaration files show as they are.
 */
import { byPosition, type LastOptions } from '../../core/options.ts';
import { knownOptionsOf } from './declaration.ts';
import type { PositionLabels, PositionName } from './positionLabels.ts';

/** Makes objects from options in one object, or with the options `P` by position. A call for each number of positions. */
export type Factory<O extends object, T, P extends readonly unknown[]> = P extends readonly [
  infer A,
  infer B,
  infer C,
  infer D,
  infer E,
  infer F,
]
  ? {
      (...options: LastOptions<O>): T;
      (...options: Prefix<O, [A]>): T;
      (...options: Prefix<O, [A, B]>): T;
      (...options: Prefix<O, [A, B, C]>): T;
      (...options: Prefix<O, [A, B, C, D]>): T;
      (...options: Prefix<O, [A, B, C, D, E]>): T;
      (...options: Prefix<O, [A, B, C, D, E, F]>): T;
    }
  : P extends readonly [infer A, infer B, infer C, infer D, infer E]
    ? {
        (...options: LastOptions<O>): T;
        (...options: Prefix<O, [A]>): T;
        (...options: Prefix<O, [A, B]>): T;
        (...options: Prefix<O, [A, B, C]>): T;
        (...options: Prefix<O, [A, B, C, D]>): T;
        (...options: Prefix<O, [A, B, C, D, E]>): T;
      }
    : P extends readonly [infer A, infer B, infer C, infer D]
      ? {
          (...options: LastOptions<O>): T;
          (...options: Prefix<O, [A]>): T;
          (...options: Prefix<O, [A, B]>): T;
          (...options: Prefix<O, [A, B, C]>): T;
          (...options: Prefix<O, [A, B, C, D]>): T;
        }
      : P extends readonly [infer A, infer B, infer C]
        ? {
            (...options: LastOptions<O>): T;
            (...options: Prefix<O, [A]>): T;
            (...options: Prefix<O, [A, B]>): T;
            (...options: Prefix<O, [A, B, C]>): T;
          }
        : P extends readonly [infer A, infer B]
          ? {
              (...options: LastOptions<O>): T;
              (...options: Prefix<O, [A]>): T;
              (...options: Prefix<O, [A, B]>): T;
            }
          : P extends readonly [infer A]
            ? {
                (...options: LastOptions<O>): T;
                (...options: Prefix<O, [A]>): T;
              }
            : (...options: LastOptions<O>) => T;

/** The arguments of a call that passes the options `P` by position, and further ones in an object. */
type Prefix<O extends object, P extends readonly unknown[]> = [
  ...Each<O, P>,
  ...LastOptions<OptionsAfter<O, P[number] & keyof O>>,
];

type Each<O extends object, P extends readonly unknown[]> = P extends readonly [infer N, ...infer More]
  ? [...Labelled<O, N>, ...Each<O, More>]
  : [];

/** An option by position. Null omits an optional one, like None in Python. */
type Labelled<O extends object, N> = N extends keyof O & PositionName
  ? object extends Pick<O, N>
    ? Partial<PositionLabels<O[N] | null>[N]>
    : PositionLabels<O[N]>[N]
  : never;

/** The options `O` except those that were passed by position: each is passed once. */
export type OptionsAfter<O extends object, N extends keyof O> = {
  [K in keyof O as K extends N ? never : K]: O[K];
};

/** A class that takes an object of options. */
export interface OptionClass {
  new (options: never): unknown;
  readonly className: string;
}

type OptionsOf<C extends OptionClass> = NonNullable<ConstructorParameters<C>[0]>;

/** The factory of `type`; `positions` are the options that may be passed by position. `of` finds what it returns. */
export function factoryOf<
  C extends OptionClass,
  const P extends readonly PositionName[] = [],
  T = InstanceType<C>,
>(
  type: C,
  positions?: P & readonly (keyof OptionsOf<C>)[],
  of?: (made: InstanceType<C>) => T,
): Factory<OptionsOf<C>, T, P>;
export function factoryOf(
  type: OptionClass,
  positions: readonly string[] = [],
  of = (made: unknown) => made,
): unknown {
  return (...args: unknown[]) => {
    const known = knownOptionsOf(type) ?? positions;
    return of(new type(byPosition(type.className, args, positions, { known }) as never));
  };
}
