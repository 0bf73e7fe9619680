/** @file What launchers compute from sizes and a profile, computed once: it takes several times as long as the rest of a call. */
import { PlainMap } from '../core/plainMap.ts';

/** More than the problems of any program; it bounds what programs with ever new shapes keep. */
const maxEntries = 4096;

interface Result {
  readonly result: unknown;
}

/** Results for a profile under one name. */
class Results {
  readonly #equal = new PlainMap<Result>(maxEntries);
  /** By the problem itself. */
  readonly #frozen = new WeakMap<object, Result>();

  get(problem: object, compute: () => unknown): Result {
    if (!Object.isFrozen(problem)) return this.#find(problem, compute);
    const known = this.#frozen.get(problem);
    if (known) return known;
    const found = this.#find(problem, compute);
    this.#frozen.set(problem, found);
    return found;
  }

  #find(problem: object, compute: () => unknown): Result {
    const known = this.#equal.get(problem);
    if (known) return known;
    const found = { result: compute() };
    this.#equal.set(problem, found);
    return found;
  }
}

const known = new WeakMap<object, Map<string, Results>>();

/**
 * Returns `compute()`, or what it returned before for `profile` and an equal `problem` under this `name`. A problem is plain data;
 * the name determines the type of the result. A problem that is frozen (at any depth) is known by its identity, which takes less time.
 */
export function remembered<T>(profile: object, name: string, problem: object, compute: () => T): T {
  let kinds = known.get(profile);
  if (!kinds) {
    kinds = new Map();
    known.set(profile, kinds);
  }
  let results = kinds.get(name);
  if (!results) {
    results = new Results();
    kinds.set(name, results);
  }
  return results.get(problem, compute).result as T;
}
