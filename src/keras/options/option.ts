/**
 * @file One declaration of the options of a class: a table that says, for each option, how it is read and how a configuration
 * holds it. Fields, `getConfig` and the names in errors come from the table.
 */
import type { Activation, ActivationLike } from '../activations.ts';

/** Where an option is read: what errors name, and the values of the options before it in the table. */
export interface OptionPlace {
  readonly op: string;
  readonly what: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** One kind of option. */
export interface Option<Value = unknown> {
  /** The value of what was given; undefined where it was left out. Errors: ValueError for anything that doesn't fit. */
  read(given: unknown, place: OptionPlace): Value;
  /** The value as a configuration holds it. Default: as it is. Null: configurations leave it out. */
  readonly write?: ((value: never) => unknown) | null;
  /** Whether it is no field of the object: `weightRules` reads it. */
  readonly hidden?: boolean;
}

/** The options of a class, in the order in which errors and configurations list them. */
export type Options = Readonly<Record<string, Option>>;

/** A table for the options `O`, without those that `Base` declares. */
export type OptionTable<O extends object, Base extends object = object> = {
  readonly [K in Exclude<keyof O, keyof Base>]-?: Option<ValueOf<Exclude<O[K], undefined>>>;
};

/** The fields that a table makes of the options `O`. */
export type Fields<O extends object, Base extends object = object> = {
  readonly [K in keyof O as K extends keyof Base | RuleName ? never : K]-?: ValueOf<Exclude<O[K], undefined>>;
};

/** Options that `weightRules` reads: `kernelInitializer`. */
type RuleName = `${string}${'Initializer' | 'Regularizer' | 'Constraint'}`;

/** What a field holds where the option may be given in several forms. */
type ValueOf<T> = ActivationLike extends T
  ? Activation
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
            : 'channelsLast' extends T
              ? 'channelsLast'
              : T;

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

/** Reads all options of `table`. Errors: ValueError. */
export function readOptions(op: string, table: Options, given: object): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [what, option] of Object.entries(table))
    values[what] = option.read((given as Record<string, unknown>)[what], { op, what, values });
  return values;
}

/** Defines the fields of `owner`. They are definitions, since assignments to unknown properties are rejected. */
export function defineFields(owner: object, table: Options, values: Readonly<Record<string, unknown>>): void {
  for (const [what, option] of Object.entries(table)) {
    if (option.hidden) continue;
    const value = values[what];
    Object.defineProperty(owner, what, { value, writable: true, enumerable: true, configurable: true });
  }
}

/** Returns the configuration of what has these fields, and these `values` of hidden options. */
export function writeOptions(
  owner: object,
  table: Options,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields = owner as Readonly<Record<string, unknown>>;
  const config: Record<string, unknown> = {};
  for (const [what, { write, hidden }] of Object.entries(table)) {
    if (write === null) continue;
    const value = (hidden ? values : fields)[what];
    config[what] = write ? write(value as never) : value;
  }
  return config;
}
