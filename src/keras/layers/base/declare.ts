/**
 * @file How the library declares a layer: its name, a table of its options, and a class with the mathematics. Fields, checks,
 * `getConfig` and the names that files use come from the table.
 */
import type { LastOptions } from '../../../core/options.ts';
import { declared } from '../../options/declaration.ts';
import type { Fields, OptionTable } from '../../options/fields.ts';
import type { Options } from '../../options/option.ts';
import { Layer } from './layer.ts';
import { type LayerOptions, layerOptionNames } from './layerOptions.ts';

export { factoryOf } from '../../options/factory.ts';
export * from '../../options/kinds.ts';
export * from '../../options/weightKinds.ts';
export { type AnyLayer, type CallOptions, Layer, type Shapes } from './layer.ts';
export type { InputSpec } from './inputSpec.ts';
export type { LayerOptions } from './layerOptions.ts';

/** The statics of layers that their classes inherit. */
export interface LayerStatics {
  readonly className: string;
  readonly callOptionNames: readonly string[];
  fromConfig<T, C>(this: new (options: C) => T, config: C): T;
}

/** The class that a layer with the options `O` extends: `Base`, with a field for each option. */
export type LayerClass<O extends object, Base, Former extends keyof O = never> = LayerStatics &
  (abstract new (
    ...options: LastOptions<O>
  ) => Base & Fields<O, LayerOptions & Pick<O, Former>>);

/**
 * The class that a layer named `className` extends. `table` lists its options, in the order of Keras's configurations; it is
 * called when the first such layer is made. `common` names the options of every layer that it also takes. `Former` are options of TF.js
 * and Keras 2 that no table has: they describe an input, or the class renames them.
 */
export function layer<O extends object, Base = Layer, Former extends keyof O = never>(
  className: string,
  table: () => OptionTable<O, LayerOptions & Pick<O, Former>>,
  base: abstract new (options: never) => Base = Layer as never,
  common: readonly (keyof LayerOptions)[] = layerOptionNames,
): LayerClass<O, Base, Former> {
  return declared(base as never, className, table as () => Options, common);
}
