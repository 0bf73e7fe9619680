/**
 * @file Strided views of stored tensors. Values are gathered when they are read.
 */
import { type Shape, sizeOf } from '../core/shape.ts';
import { type HostArray, hostArray } from './numbers.ts';
import type { StoredTensor } from './storedTensor.ts';

/** The elements of its base that a view has. */
export interface View {
  readonly shape: Shape;
  /** Index in the base of the first element. */
  readonly offset: number;
  /** Elements of the base from one position along an axis to the next; not negative. */
  readonly strides: readonly number[];
}

/** Returns the strides of a row-major tensor. */
function rowMajorStrides(shape: Shape): number[] {
  const strides = new Array<number>(shape.length).fill(1);
  for (let axis = shape.length - 2; axis >= 0; axis--)
    strides[axis] = (strides[axis + 1] as number) * Math.max(1, shape[axis + 1] as number);
  return strides;
}

/** Returns the index in the base after the last element of a view. */
export function viewEnd({ shape, offset, strides }: View): number {
  if (shape.includes(0)) return offset;
  return shape.reduce((end, size, axis) => end + (size - 1) * (strides[axis] as number), offset + 1);
}

/**
 * Returns a view of the elements of `base`. If they aren't contiguous, the part of the base that the view spans is cached while
 * its values are read in order.
 */
export function stridedTensor(base: StoredTensor, view: View): StoredTensor {
  const { shape, offset, strides } = view;
  const { place, dtype } = base;
  if (isRowMajor(view)) {
    const read: StoredTensor['read'] = (begin, end, memory) =>
      base.read(offset + begin, offset + end, memory);
    return { place, shape, dtype, read };
  }
  const count = sizeOf(shape);
  let spanned: Promise<HostArray> | null = null;
  const read = async (begin: number, end: number) => {
    spanned ??= base.read(offset, viewEnd(view));
    const values = gather(await spanned, hostArray(dtype, end - begin), shape, strides, begin);
    if (end === count) spanned = null;
    return values;
  };
  return { place, shape, dtype, read };
}

function isRowMajor({ shape, strides }: View): boolean {
  if (shape.includes(0)) return true;
  const expected = rowMajorStrides(shape);
  return shape.every((size, axis) => size === 1 || strides[axis] === expected[axis]);
}

/** Fills `into` with the elements of a view from number `begin` on. `values` begin with the first element of the view. */
function gather(
  values: HostArray,
  into: HostArray,
  shape: Shape,
  strides: readonly number[],
  begin: number,
): HostArray {
  const last = shape.length - 1;
  const [size, stride] = [shape[last] as number, strides[last] as number];
  const position = positionOf(begin, shape);
  let at = position.reduce((sum, index, axis) => sum + index * (strides[axis] as number), 0);
  for (let filled = 0; filled < into.length; ) {
    const row = Math.min(into.length - filled, size - (position[last] as number));
    for (let i = 0; i < row; i++) into[filled + i] = values[at + i * stride] as number;
    filled += row;
    at -= (position[last] as number) * stride;
    position[last] = 0;
    for (let axis = last - 1; axis >= 0; axis--) {
      const index = (position[axis] as number) + 1;
      const isWithin = index < (shape[axis] as number);
      at += isWithin ? (strides[axis] as number) : -(position[axis] as number) * (strides[axis] as number);
      position[axis] = isWithin ? index : 0;
      if (isWithin) break;
    }
  }
  return into;
}

function positionOf(index: number, shape: Shape): number[] {
  let left = index;
  const position = shape.map(() => 0);
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis] as number;
    position[axis] = left % size;
    left = Math.floor(left / size);
  }
  return position;
}
