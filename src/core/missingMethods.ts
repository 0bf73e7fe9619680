/**
 * @file Methods that classes of other libraries have and one of ours hasn't: `optimizer.step()`, `metric.resetStates()`. Looking one up throws
 * with what to write instead, in place of JavaScript's "is not a function". Like strayProperties.ts, it costs nothing for what exists.
 */
import { ValueError } from './errors.ts';
import { foldName } from './suggest.ts';

/** Hints by names; a name may be several, separated by spaces. */
export type MissingMethods = Readonly<Record<string, string>>;

const guarded = new WeakSet<object>();

/**
 * From here on, objects with that `prototype`, which must be of a base class (a Proxy follows it in the chain), throw when one of the
 * `missing` names is read. Names ignore case and underscores.
 */
export function refuseMissingMethods(prototype: object, kind: string, missing: MissingMethods): void {
  if (guarded.has(prototype)) return;
  guarded.add(prototype);
  const hints = new Map(
    Object.entries(missing).flatMap(([names, hint]) =>
      names.split(' ').map((name): [string, string] => [foldName(name), hint]),
    ),
  );
  const base = Object.getPrototypeOf(prototype);
  const get = (_: object, name: string | symbol, owner: object): unknown => {
    const hint = typeof name === 'string' && !(name in base) ? hints.get(foldName(name)) : undefined;
    // Prototypes are asked by those who extend them.
    if (hint === undefined || Object.hasOwn(owner, 'constructor')) return Reflect.get(base, name, owner);
    throw new ValueError({
      rule: `${kind} has no \`${String(name)}\`.`,
      received: `${String(name)} of '${(owner as { name?: unknown }).name}'`,
      hint,
    });
  };
  Object.setPrototypeOf(prototype, new Proxy(base, { get }));
}
