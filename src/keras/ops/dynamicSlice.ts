/** @file slice and sliceUpdate, as in Keras: the block may begin where a tensor says. */
import { ValueError } from '../../core/errors.ts';
import { isListOf } from '../../core/lists.ts';
import { describe, formatShape } from '../../core/shape.ts';
import { add, sub } from '../../ops/elementwise/arithmetic.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { range } from '../../ops/creation/range.ts';
import { gather } from '../../ops/indexing/gather.ts';
import { greaterEqual, less } from '../../ops/elementwise/comparison.ts';
import { logicalAnd } from '../../ops/elementwise/logical.ts';
import { maximum, minimum } from '../../ops/elementwise/maximum.ts';
import { slice as librarySlice } from '../../ops/arrangement/slice.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { isTensor } from './promotion.ts';

/** Where a block begins: a tensor of an integer for each axis, or a list of integers and scalars. */
export type DynamicStart = Tensor | readonly (number | Tensor)[];

/** Whether `begin` depends on values on the device. */
export function isDynamic(begin: unknown): begin is DynamicStart {
  if (isTensor(begin)) return true;
  return isListOf(begin, () => true) && (begin as readonly unknown[]).some((start) => isTensor(start));
}

/** The first index on `axis`, an int32 scalar: a block that would extend beyond the axis begins earlier, as in XLA. */
function startOf(begin: DynamicStart, axis: number, last: number): Tensor {
  const given = isTensor(begin) ? librarySlice(begin, { begin: [axis], size: [1] }) : begin[axis];
  const start = isTensor(given)
    ? reshape(cast(given, { dtype: 'int32' }), { shape: [] })
    : range(given as number, (given as number) + 1, 1, { dtype: 'int32' });
  return minimum(maximum(start, 0), last);
}

const counted = (n: number) => range(0, n, 1, { dtype: 'int32' });

/** The block of `size` elements that begins at `begin`; -1 is all of an open axis. Any dtype. Errors: ValueError without a size that fits. */
export function dynamicSlice(x: Tensor, begin: DynamicStart, size: unknown): Tensor {
  const sizes = requireSizes('slice', x, begin, size);
  return sizes.reduce((found: Tensor, count, axis) => {
    if (count === null) return found;
    const rows = x.shape[axis] as number | null;
    if (rows === null) return fixedSlice(found, axis, (begin as readonly number[])[axis] as number, count);
    return gather(found, add(counted(count), startOf(begin, axis, rows - count)), { axis });
  }, x);
}

function fixedSlice(x: Tensor, axis: number, from: number, count: number): Tensor {
  const along = (value: number, others: number) => x.shape.map((_, i) => (i === axis ? value : others));
  return librarySlice(x, { begin: along(from, 0), size: along(count, -1) });
}

/** x with the block that begins at `begin` replaced by `updates`, which have its dtype. Errors: ValueError. */
export function dynamicSliceUpdate(x: Tensor, begin: DynamicStart, updates: Tensor): Tensor {
  const sizes = requireSizes('sliceUpdate', x, begin, updates.shape);
  let block = updates;
  let mask: Tensor | null = null;
  sizes.forEach((count, axis) => {
    if (count === null) return;
    const rows = x.shape[axis] as number;
    const index = sub(counted(rows), startOf(begin, axis, rows - count));
    const inside = logicalAnd(greaterEqual(index, 0), less(index, count));
    const shape = x.shape.map((_, i) => (i === axis ? rows : 1));
    const seen = reshape(inside, { shape });
    mask = mask ? logicalAnd(mask, seen) : seen;
    block = gather(block, minimum(maximum(index, 0), count - 1), { axis });
  });
  return mask ? where(mask, block, x) : block;
}

/** The size on each axis, null for all of it. Of an open axis, only a part that begins at a number may be taken. */
function requireSizes(op: string, x: Tensor, begin: DynamicStart, size: unknown): readonly (number | null)[] {
  const shape = x.shape as readonly (number | null)[];
  const { rank } = x;
  const count = isTensor(begin) ? begin.shape[0] : begin.length;
  const isWhole = (n: number | null, axis: number) => n === shape[axis] || (n === -1 && shape[axis] === null);
  const isOfOpen = (axis: number) => op === 'slice' && !isTensor(begin) && typeof begin[axis] === 'number';
  const isPart = (n: number | null, axis: number) =>
    Number.isInteger(n) &&
    (n as number) >= 1 &&
    (shape[axis] === null ? isOfOpen(axis) : (n as number) <= (shape[axis] as number));
  const isSound = (n: number | null, axis: number) => isWhole(n, axis) || isPart(n, axis);
  if (count === rank && Array.isArray(size) && size.length === rank && size.every(isSound))
    return size.map((n, axis) => (isWhole(n, axis) ? null : n));
  throw new ValueError({
    op,
    rule: 'a block that begins where a tensor says has a start and a size for each axis of x.',
    received: `${count} starts and the size ${describe(size)} for shape ${formatShape(shape)}`,
    hint: 'pass as many integers as x has axes, each at most that of its shape; -1 for all of an open batch.',
  });
}
