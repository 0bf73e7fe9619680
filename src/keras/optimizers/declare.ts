/** @file How the library declares an optimizer: its name, a table of its options, and a class with the update rule. */
import type { LastOptions } from '../../core/options.ts';
import { declared } from '../options/declaration.ts';
import type { Fields, OptionTable } from '../options/fields.ts';
import type { Options } from '../options/option.ts';
import type { Optimizer } from './optimizer.ts';
import { optionNames, type OptimizerOptions } from './optimizerOptions.ts';

export { factoryOf } from '../options/factory.ts';
export * from './optionKinds.ts';
export type { OptimizerOptions } from './optimizerOptions.ts';

/** The class that an optimizer with the options `O` extends: `Base`, with a field for each option. */
export type OptimizerClass<O extends object, Base> = {
  readonly className: string;
  readonly fromConfig: typeof Optimizer.fromConfig;
} & (abstract new (
  ...options: LastOptions<O>
) => Base & Fields<O, OptimizerOptions>);

/** The options of all optimizers that one takes, by default all of them, and its own defaults of these. */
interface Common {
  readonly common?: readonly (keyof OptimizerOptions)[];
  readonly defaults?: OptimizerOptions;
  /** Advice for an option that it doesn't have. */
  readonly hint?: string;
}

/** The class that an optimizer named `className` extends: `base`, with the options of `table`, in Keras's order. */
export function optimizer<O extends object, Base extends Optimizer>(
  className: string,
  base: abstract new (options?: OptimizerOptions) => Base,
  table: () => OptionTable<O, OptimizerOptions>,
  { common = optionNames, ...further }: Common = {},
): OptimizerClass<O, Base> {
  return declared(base, className, table as () => Options, common, further) as never;
}
