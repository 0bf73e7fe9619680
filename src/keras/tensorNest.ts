/** @file Nests of tensors: the inputs and outputs of layers and models are tensors, or arrays and records of them. */
import { isListOf } from '../core/lists.ts';
import type { Nest } from '../core/nest.ts';
import type { OpenShape } from '../core/shape.ts';
import type { SymbolicTensor } from '../ops/define/recorders.ts';
import type { Tensor } from '../tensor/tensor.ts';

export { inOrder, keysOf, leavesOf, mapNest, type Nest, packNest } from '../core/nest.ts';

/** The nest `S` with `T` at every leaf. The most general nest maps to itself, so that TypeScript doesn't expand it. */
export type Mapped<S, T> = [Nest<never>] extends [S]
  ? Nest<T>
  : S extends Tensor | SymbolicTensor
    ? T
    : { [K in keyof S]: Mapped<S[K], T> };

/** `mapNest` for nests of shapes, where a list of sizes is a leaf. */
export function mapShapes<R>(nest: Nest<OpenShape>, map: (shape: OpenShape) => R): Nest<R> {
  if (isShape(nest)) return map(nest);
  if (Array.isArray(nest)) return nest.map((item) => mapShapes(item as Nest<OpenShape>, map));
  const entries = Object.entries(nest as Record<string, Nest<OpenShape>>);
  return Object.fromEntries(entries.map(([key, item]) => [key, mapShapes(item, map)]));
}

function isShape(value: unknown): value is OpenShape {
  return isListOf(value, (n) => n === null || typeof n === 'number');
}
