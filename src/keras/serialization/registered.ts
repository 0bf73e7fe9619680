/**
 * @file Classes and functions of the app, by their names in files. This registry knows nothing about its entries, so that
 * every family of objects can use it.
 */
import { ValueError } from '../../core/errors.ts';
import { checkOptions } from '../../core/options.ts';
import { describe } from '../../core/shape.ts';
import type { QualifiedName } from '../nameTypes.ts';
import { classNameOf } from '../options/declaration.ts';

/** A class of layers, losses, metrics, initializers, …, or a function such as an activation. */
export type Registrable = (abstract new (...args: never) => object) | ((...args: never) => unknown);

/** Options of `registerClass`. */
export interface RegisterOptions {
  /** The part before `>` in the registered name; keep it the same in all files. Default 'Custom'. */
  package?: string;
  /** The name in files, after the package. Default: the class's `className`, or the name of the function. */
  name?: string;
}

/** Classes and functions by name, as passed in `customObjects`. */
export type CustomObjects = Readonly<Record<string, Registrable>>;

const byName = new Map<string, Registrable>();
const nameOf = new WeakMap<Registrable, QualifiedName>();
let scopes: readonly CustomObjects[] = [];

/**
 * Registers a custom class or function for use in files, under Keras's registered name `Package>Name`. Returns it.
 *
 *     registerClass(Attention, { package: 'my_models' });
 *
 * Errors: ValueError for anything but a class or function, for names that are empty or contain '>', and if another class
 * already has the name.
 */
export function registerClass<T extends Registrable>(item: T, options: RegisterOptions = {}): T {
  if (typeof item !== 'function') throw rejected('a class or a function is registered', describe(item));
  checkOptions('registerClass', options, ['package', 'name']);
  const { package: packageName = 'Custom', name = nameOfItem(item) } = options;
  for (const [what, text] of Object.entries({ package: packageName, name })) {
    const isName = typeof text === 'string' && text !== '' && !text.includes('>');
    if (!isName) throw rejected(`\`${what}\` is a name without '>'`, `${what}: ${describe(text)}`);
  }
  const registered: QualifiedName = `${packageName}>${name}`;
  const before = byName.get(registered);
  if (before !== undefined && before !== item) {
    throw rejected('a name is registered once', `'${registered}', which is another ${kindOf(before)}`);
  }
  byName.set(registered, item);
  nameOf.set(item, registered);
  return item;
}

/** Returns the class of an object, which TypeScript types as `Function`. */
export function classOf(item: object): Registrable {
  return item.constructor as Registrable;
}

/** `Package>Name`; null for what was not registered. */
export function registeredNameOf(item: Registrable): QualifiedName | null {
  return nameOf.get(item) ?? null;
}

/** Returns the entry `name` of `customObjects`, or what was registered as exactly this `Package>Name`. */
export function customObjectOf(name: string): Registrable | null {
  const bare = name.slice(name.indexOf('>') + 1);
  for (const objects of scopes) {
    for (const key of [name, bare]) if (Object.hasOwn(objects, key)) return objects[key] as Registrable;
  }
  return byName.get(name) ?? null;
}

/** Returns what was registered as `Package>name` for any package: for names that aren't built in. */
export function registeredAs(name: string): Registrable | null {
  const found = [...byName].find(([key]) => key.slice(key.indexOf('>') + 1) === name);
  return found ? found[1] : null;
}

/** Runs `body` while names are looked up in `objects` first. */
export function withCustomObjects<T>(objects: CustomObjects, body: () => T): T {
  for (const [name, item] of Object.entries(objects)) {
    if (typeof item !== 'function')
      throw rejected('`customObjects` holds classes and functions by name', `${name}: ${describe(item)}`);
  }
  const before = scopes;
  scopes = [objects, ...scopes];
  try {
    return body();
  } finally {
    scopes = before;
  }
}

/** Returns the class's own `className`; an inherited one would name its parent. */
export function nameOfItem(item: Registrable): string {
  return classNameOf(item);
}

function kindOf(item: Registrable): string {
  return Object.hasOwn(item, 'prototype') ? `class, ${nameOfItem(item)}` : `function, ${item.name}`;
}

function rejected(rule: string, received: string): ValueError {
  return new ValueError({
    op: 'registerClass',
    rule: `${rule}.`,
    received,
    hint: "register a class with a static className: registerClass(MyLayer, { package: 'my_models' }).",
  });
}
