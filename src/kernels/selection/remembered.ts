/** @file What launchers compute from sizes and a profile, computed once: it takes several times as long as the rest of a call. */
import { PlainMap } from '../../core/plainMap.ts';

const known = new WeakMap<object, Map<string, PlainMap<{ readonly result: unknown }>>>();

/** More than the problems of any program; it bounds what programs with ever new shapes keep. */
const maxEntries = 4096;

/**
 * Returns `compute()`, or what it returned before for `profile` and an equal `problem` under this `name`. A problem is plain data;
 * the name determines the type of the result.
 */
export function remembered<T>(profile: object, name: string, problem: object, compute: () => T): T {
  const kinds = known.get(profile) ?? new Map<string, PlainMap<{ readonly result: unknown }>>();
  if (kinds.size === 0) known.set(profile, kinds);
  const entries = kinds.get(name) ?? new PlainMap<{ readonly result: unknown }>(maxEntries);
  if (entries.size === 0) kinds.set(name, entries);
  const found = entries.get(problem);
  if (found) return found.result as T;
  const result = compute();
  entries.set(problem, { result });
  return result;
}
