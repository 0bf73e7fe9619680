/** @file How the library declares a metric with state of its own: its name, a table of its options, and a class. */
import type { LastOptions } from '../../core/options.ts';
import { declared } from '../options/declaration.ts';
import type { OptionTable } from '../options/fields.ts';
import type { Options } from '../options/option.ts';
import type { Metric, MetricOptions } from './metric.ts';

export type { Values } from '../options/fields.ts';
export * from '../options/kinds.ts';

/** The class that a metric with the options `O` extends. */
export type MetricClass<O extends object, Base> = {
  readonly className: string;
  readonly fromConfig: typeof Metric.fromConfig;
} & (abstract new (
  ...options: LastOptions<O>
) => Base);

/**
 * The class that a metric named `className` extends: `base`, which has the options of `table` in `options`. `name` is its name in logs;
 * by default that of the class, numbered.
 */
export function metric<O extends object, Base>(
  className: string,
  base: abstract new (options: never) => Base,
  table: () => OptionTable<O, MetricOptions>,
  name?: string,
): MetricClass<O, Base> {
  const further = name === undefined ? {} : { defaults: { name } };
  return declared(base as never, className, table as () => Options, ['name', 'dtype'], further);
}
