/**
 * @file Nests: a value, or arrays and records of values. Their depth is limited, which also rejects cyclic nests.
 */
import { RetrogradError, ValueError } from './errors.ts';

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

/** The items of a list, or the entries of a record as they were written. */
export type Items =
  | {
      readonly kind: 'list';
      readonly length: number;
      readonly items: readonly unknown[];
      readonly holes: ReadonlySet<number>;
    }
  | {
      readonly kind: 'record';
      readonly entries: readonly (readonly [key: string | symbol, item: unknown])[];
    };

/**
 * Returns what is directly in `nest`; null for a leaf. `depth` counts the levels above.
 * Errors: ValueError for more than 200 levels, for a list of more than a million items, and for what can't be read, such as a
 * Proxy that throws.
 */
export function itemsOf(nest: unknown, path: string, depth: number): Items | null {
  if (typeof nest !== 'object' || nest === null) return null;
  // Leaves first: most values are.
  if (!readable(path, isBranch, nest)) return null;
  const found = readable(path, itemsIn, nest as readonly unknown[] | Record<string, unknown>);
  if (depth >= maxDepth) throw tooDeep(path);
  if (found.kind === 'list' && found.length > maxItems) throw tooLong(path, found.length);
  return found;
}

const noHoles: ReadonlySet<number> = new Set();

function itemsIn(nest: readonly unknown[] | Record<string, unknown>): Items {
  if (!Array.isArray(nest)) {
    const record = nest as Record<string | symbol, unknown>;
    return { kind: 'record', entries: keysIn(record).map((key) => [key, record[key]] as const) };
  }
  const { length } = nest;
  // Unlike `map`, a spread doesn't skip holes.
  const items: unknown[] = length > maxItems ? [] : [...nest];
  const holes = items.includes(undefined) ? new Set([...items.keys()].filter((i) => !(i in nest))) : noHoles;
  return { kind: 'list', length, items, holes };
}

/** Returns `read(nest)`, which runs code of the app where it meets a getter or a Proxy. */
function readable<N, T>(path: string, read: (nest: N) => T, nest: N): T {
  try {
    return read(nest);
  } catch (error) {
    if (error instanceof RetrogradError) throw error;
    throw new ValueError({
      rule: 'lists and records can be read.',
      received: `at ${path.slice(0, 40)}, a getter or a Proxy that throws: ${String((error as Error | null)?.message ?? error)}`,
      hint: 'pass arrays and plain objects, none of which throws when it is read.',
      cause: error,
    });
  }
}

/** Returns the enumerable keys of a record, symbols after strings. */
function keysIn(record: object): (string | symbol)[] {
  const symbols = Object.getOwnPropertySymbols(record);
  const keys: (string | symbol)[] = Object.keys(record);
  for (const symbol of symbols)
    if (Object.prototype.propertyIsEnumerable.call(record, symbol)) keys.push(symbol);
  return keys;
}

/**
 * Returns the nest with `map` applied to every leaf, in the order of `leavesOf`; `path` names the leaf, as in `inputs.image` or
 * `inputs[1]`. Holes of lists are leaves for `map`, and holes in the result.
 * Errors: ValueError for a nest that is cyclic, more than 200 deep, or with a list of more than a million items, and for one that
 * can't be read.
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
  const found = itemsOf(nest, path, depth);
  if (!found) return map(nest as T, path);
  if (found.kind === 'list') {
    const mapped = found.items.map((item, i) => mapLevel(item as Nest<T>, map, `${path}[${i}]`, depth + 1));
    for (const hole of found.holes) delete mapped[hole];
    return mapped;
  }
  // In the order in which it was written; its leaves are visited in another one.
  const mapped = Object.fromEntries(found.entries) as Record<string | symbol, Nest<unknown>>;
  for (const key of inOrder(found.entries.map(([key]) => key))) {
    mapped[key] = mapLevel(mapped[key] as Nest<T>, map, `${path}.${String(key)}`, depth + 1);
  }
  return mapped as Nest<R>;
}

/** Returns the keys of a branch in the order in which its leaves are visited. */
export function keysOf(branch: readonly unknown[] | Readonly<Record<string, unknown>>): string[] {
  // Symbols are keys, too; TypeScript lets no symbol index a record of strings.
  return Array.isArray(branch) ? Object.keys(branch) : (inOrder(keysIn(branch)) as string[]);
}

/** Keys in the order in which records are visited: sorted, as in Keras, however the record was written; symbols come last. */
export function inOrder<K extends string | symbol>(keys: readonly K[]): K[] {
  if (keys.length < 2) return [...keys];
  const symbols = keys.filter((key) => typeof key === 'symbol');
  return [...keys.filter((key) => typeof key === 'string').sort(), ...symbols];
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

/** Returns the leaves, in order; those of records by sorted keys. `path` names the nest in errors, which are those of `mapNest`. */
export function leavesOf<T>(nest: Nest<T>, path = 'inputs'): T[] {
  // Most nests are one tensor.
  if (!readable(path, isBranch, nest)) return [nest as T];
  const leaves: T[] = [];
  mapNest(nest, (leaf: T) => leaves.push(leaf), path);
  return leaves;
}

/** Returns the nest with its leaves replaced by `leaves`, in order. */
export function packNest<R>(nest: Nest<unknown>, leaves: readonly R[]): Nest<R> {
  let next = 0;
  return mapNest(nest, () => leaves[next++] as R);
}
