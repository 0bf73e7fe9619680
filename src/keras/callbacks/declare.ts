/** @file How the library declares a callback: its name in errors, a table of its options, and a class with the hooks. */
import type { LastOptions } from '../../core/options.ts';
import { declared } from '../options/declaration.ts';
import type { Fields, OptionTable } from '../options/fields.ts';
import { own } from '../options/kinds.ts';
import type { Options } from '../options/option.ts';
import { Callback } from './callback.ts';
import type { VerboseOptions } from './callbackOptions.ts';
import type { MonitorOptions } from './monitor.ts';
import type { SinkLike } from './sink.ts';

export { factoryOf } from '../options/factory.ts';
export * from '../options/kinds.ts';

/** Options that objects inside read: a monitor, what prints messages, what stores files. */
interface PartOptions extends MonitorOptions, VerboseOptions {
  sink?: SinkLike;
}

/** The options of a monitor, and of messages. */
export const monitorTable = () => ({ monitor: own, mode: own, minDelta: own, verbose: own, say: own });

/** The class that a callback with the options `O` extends: Callback, with a field for each option. */
export type CallbackClass<O extends object> = { readonly className: string } & (abstract new (
  ...options: LastOptions<O>
) => Callback & Fields<O, PartOptions>);

/** The class that a callback extends whose errors name it `name`. */
export function callback<O extends object>(
  name: string,
  table: () => OptionTable<O, PartOptions>,
): CallbackClass<O> {
  return declared(Callback as never, name, table as () => Options, []);
}
