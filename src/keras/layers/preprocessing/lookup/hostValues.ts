/** @file Strings and numbers on the host, in nested arrays: inputs of layers that can't be tensors. */
import { ShapeError, ValueError } from '../../../../core/errors.ts';
import { describe, type Shape } from '../../../../core/shape.ts';

/** A value, or nested arrays of values; arrays of the same depth have the same length. */
export type HostNest<T> = T | readonly HostNest<T>[];

/** Values in the order of their nest. */
export interface HostArray<T> {
  readonly shape: Shape;
  readonly values: readonly T[];
}

export const isString = (value: unknown): value is string => typeof value === 'string';
export const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
export const isKey = (value: unknown): value is string | number => isString(value) || isWhole(value);

/** Shape and values of a nest. Errors: ValueError for other values; ShapeError for ragged arrays. */
export function hostArray<T>(
  op: string,
  nest: unknown,
  holds: (value: unknown) => value is T,
  what: string,
): HostArray<T> {
  const values: T[] = [];
  const visit = (item: unknown): Shape => {
    if (Array.isArray(item) || ArrayBuffer.isView(item)) {
      const list = Array.from(item as ArrayLike<unknown>);
      const shapes = list.map(visit);
      const [first = []] = shapes;
      if (shapes.some((shape) => String(shape) !== String(first))) throw ragged(op, list);
      return [list.length, ...first];
    }
    if (!holds(item)) throw unfit(op, item, what);
    values.push(item);
    return [];
  };
  return { shape: visit(nest), values };
}

/** Nested arrays of `shape`. */
export function asNest<T>({ shape, values }: HostArray<T>): HostNest<T> {
  const [size, ...rest] = shape;
  if (size === undefined) return values[0] as T;
  const step = size === 0 ? 0 : values.length / size;
  return Array.from({ length: size }, (_, i) =>
    asNest({ shape: rest, values: values.slice(i * step, (i + 1) * step) }),
  );
}

function unfit(op: string, received: unknown, what: string): ValueError {
  return new ValueError({
    op,
    rule: `it takes ${what}, in arrays at any depth.`,
    received: describe(received),
    hint: 'values of a tensor are read back first: await x.data().',
  });
}

function ragged(op: string, list: readonly unknown[]): ShapeError {
  return new ShapeError({
    op,
    rule: 'arrays at the same depth have the same length.',
    received: describe(list),
    hint: "pad the shorter ones, with '' or with a mask token.",
  });
}
