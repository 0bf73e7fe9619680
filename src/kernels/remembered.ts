/** @file What launchers compute from sizes and a profile, computed once: it takes several times as long as the rest of a call. */

const known = new WeakMap<object, Map<string, unknown>>();

/** More than the problems of any program; it bounds what programs with ever new shapes keep. */
const maxEntries = 4096;

/**
 * Returns `compute()`, or what it returned before for `profile` and an equal `problem` under this `name`. A problem is plain data;
 * the name determines the type of the result.
 */
export function remembered<T>(profile: object, name: string, problem: object, compute: () => T): T {
  const entries = known.get(profile) ?? new Map<string, unknown>();
  if (entries.size === 0 || entries.size >= maxEntries) {
    entries.clear();
    known.set(profile, entries);
  }
  const key = name + JSON.stringify(problem);
  const found = (entries.get(key) as T | undefined) ?? compute();
  entries.set(key, found);
  return found;
}
