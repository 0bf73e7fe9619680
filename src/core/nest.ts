/**
 * @file Nests: a value, or arrays and records of values at any depth.
 */

export type Nest<T> = T | readonly Nest<T>[] | { readonly [key: string]: Nest<T> };

/** Arrays and plain objects are nests; everything else, null included, is a leaf. */
export function isBranch(value: unknown): value is readonly unknown[] | Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The nest with `map` applied to every leaf; `path` names the leaf, as in `inputs.image` or `inputs[1]`. */
export function mapNest<T, R>(nest: Nest<T>, map: (leaf: T, path: string) => R, path = 'inputs'): Nest<R> {
  if (!isBranch(nest)) return map(nest as T, path);
  if (Array.isArray(nest)) return nest.map((item, i) => mapNest(item as Nest<T>, map, `${path}[${i}]`));
  const entries = Object.entries(nest as Record<string, Nest<T>>);
  return Object.fromEntries(entries.map(([key, item]) => [key, mapNest(item, map, `${path}.${key}`)]));
}

/** The leaves, in order; records by insertion. */
export function leavesOf<T>(nest: Nest<T>): T[] {
  const leaves: T[] = [];
  mapNest(nest, (leaf: T) => leaves.push(leaf));
  return leaves;
}

/** The nest with its leaves replaced by `leaves`, in order. */
export function packNest<R>(nest: Nest<unknown>, leaves: readonly R[]): Nest<R> {
  let next = 0;
  return mapNest(nest, () => leaves[next++] as R);
}
