/**
 * @file How the library declares an object with a configuration and one function, such as an initializer: its name, a table of its
 * options, and the function that they make. Checks, `getConfig` and the forms of calls come from the table.
 */
import { byPosition, checkOptions } from '../../core/options.ts';
import type { Configured } from '../namedObjects.ts';
import { ownObjects } from './declaration.ts';
import type { Factory } from './factory.ts';
import type { OptionTable, Values } from './fields.ts';
import { type Options, readOptions, writeOptions } from './option.ts';
import type { PositionName } from './positionLabels.ts';

/** Returns a table of the options `O`. */
export type Table<O extends object> = () => OptionTable<O>;

/**
 * Declares a member of a family. `call` makes its function of the options, and `positions` are those that may be passed by position.
 * The table is read at each call.
 */
export type Declare<T extends Configured & { call: unknown }> = <
  O extends object,
  const P extends readonly PositionName[] = [],
>(
  className: string,
  table: Table<O>,
  call: (options: Values<O>) => T['call'],
  positions?: P & readonly (keyof O)[],
) => Factory<O, T, P>;

function maker(
  className: string,
  table: () => Options,
  call: (options: never) => unknown,
  positions: readonly string[] = [],
): unknown {
  return (...args: unknown[]) => {
    const options = table();
    const known = Object.keys(options);
    const given = byPosition(className, args, positions, { known });
    checkOptions(className, given, known);
    const values = readOptions(className, options, given);
    const getConfig = () => writeOptions(values, options, values);
    const made = { className, call: call(values as never), getConfig };
    ownObjects.add(made);
    return made;
  };
}

/** The declarations of a family. */
export const declaring = <T extends Configured & { call: unknown }>(): Declare<T> => maker as Declare<T>;
