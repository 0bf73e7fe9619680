/**
 * @file Nests: a value, or arrays and records of values. Their depth is limited, which also rejects cyclic nests.
 */
import { ValueError } from './errors.ts';

/** A value, or arrays and records of values at any depth. */
export type Nest<T> = T | readonly Nest<T>[] | { readonly [key: string]: Nest<T> };

/** Deeper than any nest of inputs in practice, and far from a stack overflow. */
const maxDepth = 200;

/** Longer than any list of inputs in practice. */
const maxItems = 2 ** 20;

/** Arrays and plain objects are nests; everything else, null included, is a leaf. */
export function isBranch(value: unknown): value is readonly unknown[] | Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Returns the nest with `map` applied to every leaf, in the order of `leavesOf`; `path` names the leaf, as in `inputs.image` or
 * `inputs[1]`.
 * Errors: ValueError for a nest that is cyclic, more than 200 deep, or with a list of more than a million items.
 */
export function mapNest<T, R>(nest: Nest<T>, map: (leaf: T, path: string) => R, path = 'inputs'): Nest<R> {
  return mapLevel(nest, map, path, 0);
}

function mapLevel<T, R>(
  nest: Nest<T>,
  map: (leaf: T, path: string) => R,
  path: string,
  depth: number,
): Nest<R> {
  if (!isBranch(nest)) return map(nest as T, path);
  if (depth >= maxDepth) throw tooDeep(path);
  if (Array.isArray(nest)) {
    if (nest.length > maxItems) throw tooLong(path, nest.length);
    // Unlike `map`, `from` doesn't skip holes.
    return Array.from(nest, (item, i) => mapLevel(item as Nest<T>, map, `${path}[${i}]`, depth + 1));
  }
  const record = nest as Record<string, Nest<T>>;
  const keys = Object.keys(record);
  const mapped = new Map(
    inOrder(keys).map((key) => [key, mapLevel(record[key] as Nest<T>, map, `${path}.${key}`, depth + 1)]),
  );
  return Object.fromEntries(keys.map((key) => [key, mapped.get(key) as Nest<R>]));
}

/** Returns the keys of a branch in the order in which its leaves are visited. */
export function keysOf(branch: readonly unknown[] | Readonly<Record<string, unknown>>): string[] {
  const keys = Object.keys(branch);
  return Array.isArray(branch) ? keys : inOrder(keys);
}

/** Keys in the order in which records are visited: sorted, as in Keras, however the record was written. */
export function inOrder(keys: readonly string[]): string[] {
  return keys.length < 2 ? [...keys] : [...keys].sort();
}

function tooLong(path: string, length: number): ValueError {
  return new ValueError({
    rule: `a list of tensors has at most ${maxItems} items.`,
    received: `${length} of them, at ${path.slice(0, 40)}`,
    hint: 'pass many numbers as one tensor: tensor(values).',
  });
}

function tooDeep(path: string): ValueError {
  return new ValueError({
    rule: `lists and records nest at most ${maxDepth} deep, and never contain themselves.`,
    received: `more levels than that, at ${path.slice(0, 40)}…`,
    hint: 'look for a list or record that contains itself.',
  });
}

/** Returns the leaves, in order; those of records by sorted keys. Errors: as for `mapNest`. */
export function leavesOf<T>(nest: Nest<T>): T[] {
  const leaves: T[] = [];
  mapNest(nest, (leaf: T) => leaves.push(leaf));
  return leaves;
}

/** Returns the nest with its leaves replaced by `leaves`, in order. */
export function packNest<R>(nest: Nest<unknown>, leaves: readonly R[]): Nest<R> {
  let next = 0;
  return mapNest(nest, () => leaves[next++] as R);
}
