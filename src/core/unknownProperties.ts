/**
 * @file Rejects assignments to unknown properties, such as `optimizer.lr = 0.01`. TypeScript rejects them, but JavaScript would
 * silently add a property that nothing reads.
 */
import { describe } from './describe.ts';
import { ValueError } from './errors.ts';

/** The hint for a property that `owner` doesn't have. Null if the property may be the app's. */
export type Advice<T extends object> = (owner: T, name: string) => string | null;

const guarded = new WeakSet<object>();

/**
 * Makes assignments that add a property to an object with this `prototype` throw if `advise` returns a hint. Class fields are
 * definitions, not assignments. Call it from a constructor, since modules have no side effects.
 */
export function rejectUnknownProperties<T extends object>(prototype: T, advise: Advice<T>): void {
  if (guarded.has(prototype)) return;
  guarded.add(prototype);
  // An assignment looks for a setter along the prototype chain. It reaches the end if the property is new.
  const set = (base: object, name: string | symbol, value: unknown, owner: T) => {
    const hint = typeof name === 'string' ? advise(owner, name) : null;
    if (hint !== null) throw unknownProperty(owner, name as string, value, hint);
    return Reflect.set(base, name, value, owner);
  };
  Object.setPrototypeOf(prototype, new Proxy(Object.getPrototypeOf(prototype), { set }));
}

/** Makes the properties `names` of `owner` read-only. Later assignments throw a ValueError with `hint`. */
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

function unknownProperty(owner: object, name: string, value: unknown, hint: string): ValueError {
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
