/**
 * @file Nests: a tensor, or arrays and records of tensors at any depth. What layers and models take and give.
 */
import type { OpenShape } from '../core/shape.ts';
import type { SymbolicTensor } from '../ops/recording.ts';
import type { Tensor } from '../tensor/tensor.ts';

export type Nest<T> = T | readonly Nest<T>[] | { readonly [key: string]: Nest<T> };

/** The nest `S` with `T` at every leaf. Of the most general nest it is again that: TypeScript must not unfold it. */
export type Mapped<S, T> = [Nest<Tensor>] extends [S]
  ? Nest<T>
  : [Nest<SymbolicTensor>] extends [S]
    ? Nest<T>
    : S extends Tensor | SymbolicTensor
      ? T
      : { [K in keyof S]: Mapped<S[K], T> };

/** Arrays and plain objects are nests; everything else, null included, is a leaf. */
function isBranch(value: unknown): value is readonly unknown[] | Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

/** The nest with `map` applied to every leaf; `path` names the leaf, as in `inputs.image` or `inputs[1]`. */
export function mapNest<T, R>(nest: Nest<T>, map: (leaf: T, path: string) => R, path = 'inputs'): Nest<R> {
  if (!isBranch(nest)) return map(nest as T, path);
  if (Array.isArray(nest)) return nest.map((item, i) => mapNest(item as Nest<T>, map, `${path}[${i}]`));
  const entries = Object.entries(nest as Record<string, Nest<T>>);
  return Object.fromEntries(entries.map(([key, item]) => [key, mapNest(item, map, `${path}.${key}`)]));
}

/** `mapNest` for nests of shapes, where a list of sizes is a leaf. */
export function mapShapes<R>(nest: Nest<OpenShape>, map: (shape: OpenShape) => R): Nest<R> {
  if (isShape(nest)) return map(nest);
  if (Array.isArray(nest)) return nest.map((item) => mapShapes(item as Nest<OpenShape>, map));
  const entries = Object.entries(nest as Record<string, Nest<OpenShape>>);
  return Object.fromEntries(entries.map(([key, item]) => [key, mapShapes(item, map)]));
}

function isShape(value: unknown): value is OpenShape {
  return Array.isArray(value) && value.every((n) => n === null || typeof n === 'number');
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
