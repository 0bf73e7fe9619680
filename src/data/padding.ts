/** @file Values of different shapes as one tensor: each is padded at the end of its axes. */
import { ShapeError, ValueError } from '../core/errors.ts';
import { isBranch } from '../core/nest.ts';
import { numbersOf } from '../core/nestedNumbers.ts';
import { describe, formatShape, type OpenShape, type Shape, sizeOf } from '../core/shape.ts';
import { pad } from '../ops/arrangement/pad.ts';
import { fromHost, type HostArray } from '../tensor/create.ts';
import { disposing, keep } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';
import { allocate } from './allocate.ts';
import { batchValues, isTyped, mixed, typedShape } from './batching.ts';
import { type ElementValue, joinElements, type Place, where } from './element.ts';

const op = 'paddedBatch';

/** A value for each place of an element, in its structure. */
export type PerPlace<T> = T | readonly PerPlace<T>[] | { readonly [name: string]: PerPlace<T> };

/** What values are padded to, and with. */
export interface PaddingOptions {
  /**
   * The shapes of values after padding, in the structure of an element: [[null, 3], []] for pairs. Null: the largest size in the
   * batch. Default: null for every axis.
   */
  paddedShapes?: PerPlace<number | null> | null;
  /** What values are padded with: one number, or one for each place in the structure of an element. Default 0. */
  paddingValues?: PerPlace<number | null> | null;
}

/** Returns the elements as one, each value padded. Errors: ValueError, ShapeError. */
export function padElements(elements: readonly unknown[], options: PaddingOptions): unknown {
  return joinElements(op, elements, (values, place) => {
    const isNumeric = values.every(
      (value) => isTyped(value) || value instanceof Tensor || isNumberList(value),
    );
    if (!isNumeric) return batchValues(values, place);
    const shapes = values.map((value) => shapeOf(value, place));
    const shape = commonShape(shapes, shapeAt(options.paddedShapes, place), place);
    return padded(values, shapes, shape, paddingAt(options.paddingValues, place));
  });
}

function isNumberList(value: ElementValue): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || Array.isArray(value);
}

function shapeOf(value: ElementValue, place: Place): Shape {
  if (value instanceof Tensor) return value.shape;
  if (isTyped(value)) return typedShape(value);
  const found = numbersOf(asNumbers(value));
  if (found) return found.shape;
  throw mixed(op, [value], place);
}

/** Booleans count as 0 and 1. */
function asNumbers(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  return Array.isArray(value) ? value.map(asNumbers) : value;
}

/** Returns the shape that holds all of `shapes`. `wanted` has the sizes that were given. Errors: ShapeError. */
function commonShape(shapes: readonly Shape[], wanted: OpenShape | null, place: Place): Shape {
  const [first] = shapes as [Shape];
  const largest = first.map((_, axis) =>
    shapes.reduce((size, shape) => Math.max(size, shape[axis] ?? Number.NaN), 0),
  );
  const target = largest.map((size, axis) => wanted?.[axis] ?? size);
  const fits =
    shapes.every((shape) => shape.length === first.length) &&
    (wanted === null || wanted.length === first.length) &&
    target.every((size, axis) => size >= (largest[axis] as number));
  if (fits) return target;
  const different = shapes.find((shape) => shape.length !== first.length) ?? largest;
  throw new ShapeError({
    op,
    rule: 'all values have the same rank, and fit into `paddedShapes`.',
    received: `${formatShape(first)} and ${formatShape(different)}${where(place)}${wanted ? `, for ${formatShape(wanted)}` : ''}`,
    hint: 'truncate longer ones in a map before it, or leave paddedShapes out.',
  });
}

function padded(
  values: readonly ElementValue[],
  shapes: readonly Shape[],
  shape: Shape,
  padding: number,
): Tensor {
  if (values.some((value) => value instanceof Tensor)) return paddedTensors(values, shapes, shape, padding);
  const [first] = values;
  const size = sizeOf(shape);
  const kind = isTyped(first) ? first : new Float32Array(0);
  const all = allocate(op, kind, [values.length, ...shape]).fill(padding);
  for (const [i, value] of values.entries()) {
    const flat = isTyped(value) ? value : (numbersOf(asNumbers(value))?.values ?? []);
    copyInto(all.subarray(i * size, (i + 1) * size), shape, flat, shapes[i] as Shape);
  }
  return keep(fromHost(op, all, { shape: [values.length, ...shape] }));
}

/** Copies the values of an array into the corner of a larger one. */
function copyInto(target: HostArray, shape: Shape, flat: ArrayLike<number>, from: Shape): void {
  if (shape.length <= 1) {
    target.set(flat);
    return;
  }
  const [step, taken] = [sizeOf(shape.slice(1)), sizeOf(from.slice(1))];
  for (let i = 0; i < (from[0] as number); i++) {
    const part = Array.prototype.slice.call(flat, i * taken, (i + 1) * taken);
    copyInto(target.subarray(i * step, (i + 1) * step), shape.slice(1), part, from.slice(1));
  }
}

function paddedTensors(
  values: readonly ElementValue[],
  shapes: readonly Shape[],
  shape: Shape,
  padding: number,
): Tensor {
  const parts: Tensor[] = [];
  try {
    for (const [i, value] of values.entries()) {
      const paddings = shape.map((size, axis): [number, number] => [0, size - (shapes[i]?.[axis] as number)]);
      const padOne = (x: Tensor) => keep(pad(x, { paddings, constantValue: padding }));
      const isOwn = !(value instanceof Tensor);
      const x = isOwn ? fromHost(op, asNumbers(value) as number[]) : value;
      parts.push(isOwn ? disposing(x, padOne) : padOne(x));
    }
    return batchValues(parts, []) as Tensor;
  } finally {
    for (const part of parts) part.dispose();
  }
}

/** Returns the shape for the values at a place. Errors: ValueError. */
function shapeAt(given: PaddingOptions['paddedShapes'], place: Place): OpenShape | null {
  const found = partAt(given, place) ?? null;
  if (found === null) return null;
  const isShape =
    Array.isArray(found) &&
    found.every((size) => size === null || (Number.isInteger(size) && (size as number) >= 0));
  if (isShape) return found as OpenShape;
  throw new ValueError({
    op,
    rule: '`paddedShapes` has a list of sizes, or of null, for each value of an element.',
    received: `${describe(found)}${where(place)}`,
    hint: 'pass [[null], []] for pairs of a sequence and a number.',
  });
}

/** Returns what the values at a place are padded with. Errors: ValueError. */
function paddingAt(given: PaddingOptions['paddingValues'], place: Place): number {
  const found = (isBranch(given) ? partAt(given, place) : given) ?? 0;
  if (typeof found === 'number') return found;
  throw new ValueError({
    op,
    rule: '`paddingValues` is a number, or has one for each value of an element.',
    received: `${describe(found)}${where(place)}`,
    hint: 'pass paddingValues: [-1, 0] for pairs.',
  });
}

function partAt(given: unknown, place: Place): unknown {
  return place.reduce<unknown>((part, key) => (part as Record<string, unknown> | null)?.[key], given);
}
