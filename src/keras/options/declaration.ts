/**
 * @file Whether a class is one that the library declares with a table of options. An app's class isn't, even if it extends one:
 * it may take any options, and has a name of its own.
 */
import type { Options } from './option.ts';

/** What a class of the library is declared with. */
export interface Declaration extends Further {
  readonly className: string;
  /** Its options, without those that all classes of its kind have in common. */
  readonly table: Options;
  /** The options of its kind that it takes. */
  readonly common: readonly string[];
}

/** Parts of a declaration that most classes don't have. */
interface Further {
  /** Defaults, its own, of options of its kind. */
  readonly defaults?: object;
  /** Advice for an option that it doesn't have. */
  readonly hint?: string | undefined;
}

/** The declarations of classes, by the class that each extends. */
const declarations = new WeakMap<object, Declaration>();

/**
 * Returns the class that a class of the library extends: `base`, with a declaration. `table` is called when it is first needed, so that
 * a module costs nothing at the start.
 */
export function declared<B extends abstract new (...args: never[]) => object>(
  base: B,
  className: string,
  table: () => Options,
  common: readonly string[],
  further?: Further,
): B {
  abstract class Declared extends (base as unknown as abstract new (...args: unknown[]) => object) {
    static readonly className: string = className;
  }
  let made: Options | undefined;
  declarations.set(Declared, {
    ...further,
    className,
    common,
    get table() {
      made ??= table();
      return made;
    },
  });
  return Declared as unknown as B;
}

/** Objects of the library whose classes aren't declared with options. */
export const ownObjects = new WeakSet<object>();

/** Returns what `type` is declared with; null for a class of an app. */
export function declarationOf(type: object): Declaration | null {
  return declarations.get(Object.getPrototypeOf(type)) ?? null;
}

/** Returns what `type`, or the nearest class that it extends, is declared with; null where none is. */
export function inheritedDeclaration(type: object | null): Declaration | null {
  return type && (declarations.get(type) ?? inheritedDeclaration(Object.getPrototypeOf(type)));
}

/** The names of all options of a class of the library; null for an app's class, which may take any. */
export function knownOptionsOf(type: object): readonly string[] | null {
  const declaration = declarationOf(type);
  return declaration && namesOf(declaration);
}

/** The names of all options: its own before those that it has in common with others. */
export function namesOf({ table, common }: Declaration): readonly string[] {
  return [...Object.keys(table), ...common];
}

/** The name of a class in histories and files: an inherited one would be that of another class. */
export function classNameOf(type: { readonly className?: string; readonly name: string }): string {
  const own = Object.hasOwn(type, 'className') ? type.className : declarationOf(type)?.className;
  return own ?? type.name;
}
