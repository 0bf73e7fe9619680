/**
 * @file Whether a class is one that the library declares with a table of options. An app's class isn't, even if it extends one:
 * it may take any options, and has a name of its own.
 */
import type { Options } from './option.ts';

/** The statics of the class that a declaration makes, which the declared class extends. */
export interface Declaration {
  readonly className: string;
  readonly optionTable: Options;
  /** The names of all options, those of the base classes included. */
  readonly knownOptions: readonly string[];
}

/** Returns what `type` is declared with; null for a class of an app. */
export function declarationOf(type: object): Declaration | null {
  const parent: unknown = Object.getPrototypeOf(type);
  return typeof parent === 'function' && Object.hasOwn(parent, 'optionTable')
    ? (parent as unknown as Declaration)
    : null;
}

/** The name of a class in histories and files: an inherited one would be that of another class. */
export function classNameOf(type: { readonly className?: string; readonly name: string }): string {
  const own = Object.hasOwn(type, 'className') ? type.className : declarationOf(type)?.className;
  return own ?? type.name;
}
