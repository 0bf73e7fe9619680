/** @file The factory of a class: it takes the options in one object, or the first of them by position, as in Keras. */
import { byPosition, type LastOptions, type Positions } from '../../core/options.ts';

/** Makes objects from options in one object. */
export type Factory<O extends object, T> = (...options: LastOptions<O>) => T;

/** Makes objects from options in one object, or by position. */
export interface PositionalFactory<O extends object, T, P extends readonly string[]> {
  (...options: LastOptions<O>): T;
  (...settings: Positions<O, P>): T;
}

/** A class that takes an object of options, and the names of these. */
interface OptionClass {
  new (options: never): unknown;
  readonly className: string;
  readonly knownOptions: readonly string[];
}

type OptionsOf<C extends OptionClass> = NonNullable<ConstructorParameters<C>[0]>;

/** The factory of `type`; `positions` are the options that may be passed by position. */
export function factoryOf<C extends OptionClass>(type: C): Factory<OptionsOf<C>, InstanceType<C>>;
export function factoryOf<C extends OptionClass, const P extends readonly (keyof OptionsOf<C> & string)[]>(
  type: C,
  positions: P,
): PositionalFactory<OptionsOf<C>, InstanceType<C>, P>;
export function factoryOf(type: OptionClass, positions: readonly string[] = []): unknown {
  return (...args: unknown[]) =>
    new type(byPosition(type.className, args, positions, { known: type.knownOptions }) as never);
}
