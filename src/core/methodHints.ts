/**
 * @file Hints for methods of other libraries that a class doesn't have, such as `optimizer.step()` or `metric.resetStates()`.
 * Reading one throws an error with a hint, instead of JavaScript's "is not a function". Reading existing properties costs
 * nothing.
 */
import { ValueError } from './errors.ts';
import { foldName } from './suggest.ts';

/** Hints by method name. A key may list several names, separated by spaces. */
export type MethodHints = Readonly<Record<string, string>>;

const guarded = new WeakSet<object>();

/**
 * Makes reading one of the names on an object with this `prototype` throw. The prototype must be that of a base class, because a
 * Proxy is inserted behind it in the prototype chain. Names are compared without case and underscores.
 */
export function addMethodHints(prototype: object, kind: string, methods: MethodHints): void {
  if (guarded.has(prototype)) return;
  guarded.add(prototype);
  const hints = new Map(
    Object.entries(methods).flatMap(([names, hint]) =>
      names.split(' ').map((name): [string, string] => [foldName(name), hint]),
    ),
  );
  const base = Object.getPrototypeOf(prototype);
  const get = (_: object, name: string | symbol, owner: object): unknown => {
    const hint = typeof name === 'string' && !(name in base) ? hints.get(foldName(name)) : undefined;
    // Subclass prototypes also read through this Proxy.
    if (hint === undefined || Object.hasOwn(owner, 'constructor')) return Reflect.get(base, name, owner);
    throw new ValueError({
      rule: `${kind} has no \`${String(name)}\`.`,
      received: `${String(name)} of '${(owner as { name?: unknown }).name}'`,
      hint,
    });
  };
  Object.setPrototypeOf(prototype, new Proxy(base, { get }));
}
