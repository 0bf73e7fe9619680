/**
 * @file Assignments that would make a new property which nothing reads: `optimizer.lr = 0.01`. TypeScript refuses them; in
 * JavaScript they were ignored.
 */
import { describe } from './describe.ts';
import { ValueError } from './errors.ts';

/** What to write in place of a property that `owner` doesn't have; null where it may be one of the app's. */
export type Advice<T extends object> = (owner: T, name: string) => string | null;

const guarded = new WeakSet<object>();

/**
 * From here on, asks `advise` about properties that assignments add to objects with that `prototype`. Fields that a class declares are
 * no assignments. Constructors call it: a module has no side effects.
 */
export function refuseStrayProperties<T extends object>(prototype: T, advise: Advice<T>): void {
  if (guarded.has(prototype)) return;
  guarded.add(prototype);
  // An assignment looks for a setter along the prototypes, and reaches their end where the property is new.
  const set = (base: object, name: string | symbol, value: unknown, owner: T) => {
    const hint = typeof name === 'string' ? advise(owner, name) : null;
    if (hint !== null) throw stray(owner, name as string, value, hint);
    return Reflect.set(base, name, value, owner);
  };
  Object.setPrototypeOf(prototype, new Proxy(Object.getPrototypeOf(prototype), { set }));
}

/** Gives the properties `names` of `owner` fixed values. Errors of later assignments: ValueError with that hint. */
export function fixProperties(owner: object, names: readonly string[], hint: string): void {
  for (const name of names) {
    const { value, writable } = Object.getOwnPropertyDescriptor(owner, name) ?? {};
    if (!writable) continue;
    const set = (assigned: unknown) => {
      throw new ValueError({
        op: nameOf(owner),
        rule: `\`${name}\` is fixed.`,
        received: `${name} = ${describe(assigned)}`,
        hint,
      });
    };
    Object.defineProperty(owner, name, { get: () => value, set, enumerable: true, configurable: true });
  }
}

function stray(owner: object, name: string, value: unknown, hint: string): ValueError {
  return new ValueError({
    op: nameOf(owner),
    rule: `it has no property \`${name}\`, unless its class declares one: nothing would read it.`,
    received: `${name} = ${describe(value)}`,
    hint,
  });
}

function nameOf(owner: object): string {
  return String((owner as { name?: unknown }).name);
}
