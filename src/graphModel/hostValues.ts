/**
 * @file Small arrays on the host: the shapes, axes and sizes that a graph computes with. They never go to the device and back, so that
 * a graph that computes a shape runs without waiting.
 */
import type { DType } from '../core/dtype.ts';
import { type Shape, sizeOf } from '../core/shape.ts';

/** Row-major values; bools are 0 and 1. */
export interface HostValues {
  readonly shape: Shape;
  readonly dtype: DType;
  readonly values: readonly number[];
}

/** The largest number of values that stay on the host. */
export const maxHostValues = 1024;

/** Values in the range of `dtype`: float32 rounds, int32 wraps around. */
export function hostValues(values: readonly number[], shape: Shape, dtype: DType): HostValues {
  const within = { float32: Math.fround, bool: (v: number) => Number(v !== 0) }[dtype as string];
  return { values: values.map(within ?? ((v) => Math.trunc(v) | 0)), shape, dtype };
}

/** Whether these can be the sizes of a tensor. */
export const isShape = (sizes: readonly number[]): boolean =>
  sizes.every((size) => Number.isInteger(size) && size >= 0);

export const integers = (values: readonly number[]): HostValues =>
  hostValues(values, [values.length], 'int32');

export const integer = (value: number): HostValues => hostValues([value], [], 'int32');

/** Applies `f` to a vector and a scalar, or to vectors of one length. Null for other shapes. */
export function paired(
  a: HostValues,
  b: HostValues,
  dtype: DType,
  f: (a: number, b: number) => number,
): HostValues | null {
  const shape = a.shape.length >= b.shape.length ? a.shape : b.shape;
  const size = sizeOf(shape);
  const at = ({ values }: HostValues, i: number) => (values.length === 1 ? values[0] : values[i]) as number;
  const fits = [a, b].every(({ values }) => values.length === 1 || values.length === size);
  if (!fits || size === 0) return null;
  return hostValues(
    Array.from({ length: size }, (_, i) => f(at(a, i), at(b, i))),
    shape,
    dtype,
  );
}
