/**
 * @file The base of layers that take strings. Tensors can't hold strings, so these layers take arrays from the host and
 * return tensors: they run before a model rather than inside it.
 */
import { ValueError } from '../../../../core/errors.ts';
import { checkOptions } from '../../../../core/options.ts';
import { describe } from '../../../../core/shape.ts';
import { snakeCase, uniqueName } from '../../../names.ts';

/** Options of layers that take strings. */
export interface HostLayerOptions {
  /** Its name in errors. Default: the class name, numbered. */
  name?: string;
}

export abstract class HostLayer {
  static readonly className: string = 'HostLayer';
  static get knownOptions(): readonly string[] {
    return Object.keys({ name: false });
  }
  readonly name: string;

  constructor(options: HostLayerOptions) {
    const { className, knownOptions } = new.target as typeof HostLayer;
    checkOptions(className, options, knownOptions);
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
  }

  /** Keras's name of the class. */
  get className(): string {
    return (this.constructor as typeof HostLayer).className;
  }

  /** Returns all options, a learned vocabulary included. */
  getConfig(): Record<string, unknown> {
    return { name: this.name };
  }

  /** Creates a layer from the result of `getConfig`. */
  static fromConfig<T, C>(this: new (options: C) => T, config: C): T {
    return new this(config);
  }
}
