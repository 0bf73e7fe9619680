/**
 * @file The base of layers that take strings. Tensors can't hold strings, so these layers take arrays from the host and
 * return tensors: they run before a model rather than inside it.
 */
import { ValueError } from '../../../../core/errors.ts';
import { checkOptions, type LastOptions } from '../../../../core/options.ts';
import { describe } from '../../../../core/shape.ts';
import { snakeCase, uniqueName } from '../../../names.ts';
import { declared, inheritedDeclaration } from '../../../options/declaration.ts';
import type { Fields, OptionTable } from '../../../options/fields.ts';
import { defineFields, type Options, readOptions, writeOptions } from '../../../options/option.ts';

/** Options of layers that take strings. */
export interface HostLayerOptions {
  /** Its name in errors. Default: the class name, numbered. */
  name?: string;
}

const common = ['name'];

export abstract class HostLayer {
  static readonly className: string = 'HostLayer';
  readonly name: string;
  readonly #table: Options;

  constructor(options: HostLayerOptions = {}) {
    const { className } = new.target;
    this.#table = inheritedDeclaration(new.target)?.table ?? {};
    checkOptions(className, options, [...Object.keys(this.#table), ...common]);
    const { name } = options;
    if (name !== undefined && (typeof name !== 'string' || name === '')) {
      throw new ValueError({
        op: className,
        rule: '`name` is a string.',
        received: `name: ${describe(name)}`,
        hint: "leave it out for the class's name.",
      });
    }
    this.name = name ?? uniqueName(snakeCase(className));
    defineFields(this, this.#table, readOptions(this.name, this.#table, options));
  }

  /** Keras's name of the class. */
  get className(): string {
    return (this.constructor as typeof HostLayer).className;
  }

  /** Returns all options, a learned vocabulary included. */
  getConfig(): Record<string, unknown> {
    return { name: this.name, ...writeOptions(this, this.#table) };
  }

  /** Creates a layer from the result of `getConfig`. */
  static fromConfig<T, C>(this: new (options: C) => T, config: C): T {
    return new this(config);
  }
}

/** The class that a layer with the options `O` extends: `Base`, with a field for each option. */
type HostLayerClass<O extends object, Base> = {
  readonly className: string;
  readonly fromConfig: typeof HostLayer.fromConfig;
} & (abstract new (
  ...options: LastOptions<O>
) => Base & Fields<O, HostLayerOptions>);

/** The class that a layer named `className` extends: `base`, with the options of `table`. */
export function hostLayer<O extends object, Base extends HostLayer>(
  className: string,
  table: () => OptionTable<O, HostLayerOptions>,
  base: abstract new (options?: HostLayerOptions) => Base,
): HostLayerClass<O, Base> {
  return declared(base, className, table as () => Options, common) as never;
}
