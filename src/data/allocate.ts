/** @file Arrays on the host for values of elements and batches. */
import { ShapeError } from '../core/errors.ts';
import { formatShape, type Shape, sizeOf } from '../core/shape.ts';
import type { HostArray } from '../tensor/create.ts';

/** No adapter binds more than 4 GiB, so that no tensor has more values. */
const maxValues = 2 ** 30;

/** Returns an array of zeros for a tensor of this shape. Errors: ShapeError if no tensor, or no array, is so large. */
export function allocate(op: string, kind: HostArray, shape: Shape): HostArray {
  const Kind = kind.constructor as new (length: number) => HostArray;
  const count = sizeOf(shape);
  try {
    if (count <= maxValues) return new Kind(count);
  } catch {
    // The host has no memory for it: fails below.
  }
  throw new ShapeError({
    op,
    rule: `a tensor has at most ${maxValues} values, and fits into memory.`,
    received: formatShape(shape),
    hint: 'make batches smaller, or cut long values off in a map before it.',
  });
}
