/**
 * @file How the library declares a layer: its name, a table of its options, and a class with the mathematics. Fields, checks,
 * `getConfig` and the names that files use come from the table.
 */
import type { LastOptions, Names } from '../../../core/options.ts';
import type { Declaration } from '../../options/declaration.ts';
import type { Fields, OptionTable } from '../../options/fields.ts';
import { Layer } from './layer.ts';
import { type LayerOptions, layerOptionNames } from './layerOptions.ts';

export { factoryOf } from '../../options/factory.ts';
export * from '../../options/kinds.ts';
export * from '../../options/weightKinds.ts';
export { type CallOptions, Layer } from './layer.ts';
export type { InputSpec } from './inputSpec.ts';
export type { LayerOptions } from './layerOptions.ts';

interface LayerStatics extends Declaration {
  readonly callOptionNames: readonly string[];
  fromConfig<T, C>(this: new (options: C) => T, config: C): T;
}

/** The class that a layer with the options `O` extends: `Base`, with a field for each option. */
export type LayerClass<O extends object, Base> = LayerStatics &
  (abstract new (
    ...options: LastOptions<O>
  ) => Base & Fields<O, LayerOptions>);

/**
 * The class that a layer named `className` extends. `table` lists its options, in the order of Keras's configurations; it is
 * called when the first such layer is made. `common` names the options of every layer that it also takes.
 */
export function layer<O extends object, Base = Layer>(
  className: string,
  table: () => OptionTable<O, LayerOptions>,
  base: abstract new (options: never) => Base = Layer as never,
  common: Names = layerOptionNames,
): LayerClass<O, Base> {
  let made: OptionTable<O, LayerOptions> | undefined;
  abstract class Declared extends (base as unknown as typeof Layer) {
    static override readonly className: string = className;

    static get optionTable() {
      made ??= table();
      return made;
    }

    static get knownOptions() {
      return [...Object.keys(Declared.optionTable), ...Object.keys(common)];
    }
  }
  return Declared as never;
}
