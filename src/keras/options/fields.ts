/** @file The types that a table of options has and makes, from the interface of the options. */
import type { Activation, ActivationLike } from '../activations.ts';
import type { ClassConfig } from '../namedObjects.ts';
import type { Option } from './option.ts';

/** A table for the options `O`, without those that `Base` declares. */
export type OptionTable<O extends object, Base extends object = object> = {
  readonly [K in Exclude<keyof O, keyof Base>]-?: Option<ValueOf<Exclude<O[K], undefined>>>;
};

/** The values that a table reads from the options `O`. */
export type Values<O extends object> = { readonly [K in keyof O]-?: ValueOf<Exclude<O[K], undefined>> };

/** The fields that a table makes of the options `O`. */
export type Fields<O extends object, Base extends object = object> = {
  readonly [K in keyof O as K extends keyof Base | RuleName ? never : K]-?: ValueOf<Exclude<O[K], undefined>>;
};

/** Options that `weightRules` reads: `kernelInitializer`. */
type RuleName = `${string}${'Initializer' | 'Regularizer' | 'Constraint'}`;

/** What a field holds where the option may be given in several forms. */
type ValueOf<T> = ActivationLike extends T
  ? Activation
  : ClassConfig extends Item<T>
    ? WithoutConfig<T>
    : IsForm<T, PerAxis<3>> extends true
      ? PerAxis<3>
      : IsForm<T, PerAxis<2>> extends true
        ? PerAxis<2>
        : IsForm<T, PerAxis<1>> extends true
          ? PerAxis<1>
          : readonly [Sides, Sides] extends T
            ? readonly [Sides, Sides]
            : readonly [Sides, Sides, Sides] extends T
              ? readonly [Sides, Sides, Sides]
              : [T] extends ['channelsLast' | 'channelsFirst' | null]
                ? 'channelsLast' | 'channelsFirst'
                : T;

/** `T`, or an item of a list. */
type Item<T> = [T] extends [readonly (infer E)[]] ? E : T;

/** Objects without the configurations that may be given for them. */
type WithoutConfig<T> = T extends unknown
  ? ClassConfig extends T
    ? never
    : T extends readonly (infer E)[]
      ? readonly WithoutConfig<E>[]
      : T
  : never;

/** Whether `T` is a number for all axes, or `List`, one for each. */
type IsForm<T, List> = [T] extends [number | List | null]
  ? [number | List] extends [T]
    ? true
    : false
  : false;

/** Numbers before and after an axis. */
type Sides = readonly [number, number];

type PerAxis<N extends 1 | 2 | 3> = N extends 1
  ? readonly [number]
  : N extends 2
    ? readonly [number, number]
    : readonly [number, number, number];
