/** @file Arrays of rows on the host: lists, typed arrays with a shape, and what is read of tensors. */
import { type Shape, sizeOf } from '../core/shape.ts';
import type { HostArray } from '../tensor/create.ts';
import { Tensor } from '../tensor/tensor.ts';
import { allocate } from './allocate.ts';
import { isTyped, typedShape } from './batching.ts';

/** Returns whether `part` is an array of rows. The outermost list is a tuple. */
export function isArray(part: unknown, isOutermost: boolean): boolean {
  if (part instanceof Tensor) return part.shape.length > 0;
  if (isTyped(part)) return true;
  // Inside, a list is an array of values, such as numbers, texts, or typed arrays.
  return Array.isArray(part) && !isOutermost;
}

/** Returns the number of rows. */
export function lengthOf(component: unknown): number {
  if (component instanceof Tensor) return component.shape[0] as number;
  return isTyped(component) ? (typedShape(component)[0] as number) : (component as unknown[]).length;
}

/** Returns the values of a tensor: nested booleans, or a typed array. */
export async function valuesOf(x: Tensor): Promise<unknown> {
  if (x.dtype !== 'bool') return withShape((await x.data()) as HostArray, x.shape);
  const booleans = (values: unknown): unknown =>
    Array.isArray(values) ? values.map(booleans) : Boolean(values);
  return booleans(await x.array());
}

/** Returns row `i`. */
export function sliceOf(component: unknown, i: number): unknown {
  if (!isTyped(component)) return (component as unknown[])[i];
  const shape = typedShape(component).slice(1);
  if (shape.length === 0) return component[i];
  const size = sizeOf(shape);
  return withShape(component.subarray(i * size, (i + 1) * size), shape);
}

/** The values, with a shape if it isn't their length. */
export function withShape(values: HostArray, shape: Shape): HostArray {
  return shape.length === 1 ? values : Object.assign(values, { shape });
}

/** Returns `count` rows from row `from`, `step` apart, as one array. */
export function takeRows(component: unknown, from: number, count: number, step: number): unknown {
  const rows = Array.from({ length: count }, (_, i) => from + i * step);
  if (!isTyped(component)) return rows.map((row) => (component as unknown[])[row]);
  const shape = typedShape(component).slice(1);
  const size = sizeOf(shape);
  const taken = allocate('batch', component, [count, ...shape]);
  for (const [i, row] of rows.entries())
    taken.set(component.subarray(row * size, (row + 1) * size), i * size);
  return withShape(taken, [count, ...shape]);
}
