/**
 * @file Shapes: sizes, strides, axes and broadcasting. Pure functions on arrays of numbers.
 *
 * A shape is a list of sizes, row-major, the last axis contiguous. Ranks go from 0 to `maxRank`.
 */
import { isListOf } from './lists.ts';
import { describe, hintFor } from './describe.ts';
import { ShapeError, ValueError } from './errors.ts';
import { foldedName, foldName, suggestionFor } from './suggest.ts';

export { describe, hintFor };

/** Sizes of the axes, outermost first; `[]` is a scalar. */
export type Shape = readonly number[];

/** The shape of a symbolic tensor; open sizes are null. */
export type OpenShape = readonly (number | null)[];

/** Tensors of a higher rank are rejected. */
export const maxRank = 6;

export function sizeOf(shape: Shape): number {
  let size = 1;
  for (const n of shape) size *= n;
  return size;
}

/** Row-major strides, in elements. */
export function stridesOf(shape: Shape): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    strides[i] = stride;
    stride *= shape[i] as number;
  }
  return strides;
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((n, i) => n === b[i]);
}

export function formatShape(shape: OpenShape): string {
  return `[${shape.map(String).join(', ')}]`;
}

/** Throws unless `shape` is a list of at most `maxRank` non-negative integers. */
export function checkShape(op: string, shape: unknown): asserts shape is number[] {
  // Check the rank first: a list may be of any length.
  if (Array.isArray(shape) && shape.length > maxRank) {
    throw new ShapeError({
      op,
      rule: `tensors have at most ${maxRank} axes.`,
      received: `rank ${shape.length}, shape ${describe(shape)}`,
      hint: 'reshape so that neighbouring axes are merged.',
    });
  }
  const isSize = (n: unknown) => Number.isInteger(n) && (n as number) >= 0;
  if (isListOf(shape, isSize)) return;
  const isOpen = Array.isArray(shape) && shape.includes(null);
  throw new ShapeError({
    op,
    rule: 'a shape is a list of non-negative integers.',
    received: describe(shape),
    hint: isOpen
      ? 'the open sizes of a symbolic tensor are null. Inside the `call` of a layer they are numbers: write a layer, or layers.lambda((x) => …).'
      : typeof shape === 'string'
        ? `pass { dtype: ${describe(shape)} } if it is a dtype.`
        : 'pass sizes such as [2, 3]; [] is a scalar.',
  });
}

/** Returns an axis counted from the front; negative axes count from the back. */
export function normalizeAxis(op: string, axis: unknown, rank: number, what = 'axis'): number {
  if (!Number.isInteger(axis) || (axis as number) < -rank || (axis as number) >= rank) {
    throw new ShapeError({
      op,
      rule:
        rank === 0
          ? `a scalar has no axes, so \`${what}\` can't be given.`
          : `\`${what}\` must be an integer in [${-rank}, ${rank - 1}] for a tensor of rank ${rank}.`,
      received: `${what}: ${describe(axis)}`,
      hint: 'name an axis that the tensor has; negative axes count from the last.',
    });
  }
  return (axis as number) < 0 ? (axis as number) + rank : (axis as number);
}

/** Returns the axes in ascending order, without repeats; null or undefined means all. */
export function normalizeAxes(
  op: string,
  axis: number | readonly number[] | null | undefined,
  rank: number,
): number[] {
  if (axis === null || axis === undefined) return Array.from({ length: rank }, (_, i) => i);
  return axesInOrder(op, axis, rank).sort((a, b) => a - b);
}

/** Returns an axis, or a list of different axes in the order given, as a list of non-negative ones. */
export function axesInOrder(op: string, axis: unknown, rank: number, what = 'axis'): number[] {
  const given: readonly unknown[] = Array.isArray(axis) ? axis : [axis];
  if (given.length > rank) throw repeatedAxis(op, what, axis, rank);
  // Copied, since `map` skips holes.
  const axes = [...given].map((a) => normalizeAxis(op, a, rank, what));
  if (new Set(axes).size !== axes.length) throw repeatedAxis(op, what, axis, rank);
  return axes;
}

function repeatedAxis(op: string, what: string, axis: unknown, rank: number): ShapeError {
  return new ShapeError({
    op,
    rule: 'an axis may be named once.',
    received: `${what}: ${describe(axis)} of a tensor of rank ${rank}`,
    hint: 'remove the repeated axis; -1 and rank - 1 are the same axis.',
  });
}

/** Returns the shape that `a` and `b` broadcast to, by NumPy's rule. */
export function broadcastShapes(op: string, a: Shape, b: Shape): number[] {
  const rank = Math.max(a.length, b.length);
  const out = new Array<number>(rank);
  for (let i = 0; i < rank; i++) {
    const x = a[a.length - rank + i] ?? 1;
    const y = b[b.length - rank + i] ?? 1;
    if (x !== y && x !== 1 && y !== 1) {
      throw new ShapeError({
        op,
        rule: 'shapes broadcast when, counted from the last axis, sizes are equal or one of them is 1.',
        received: `${formatShape(a)} and ${formatShape(b)}`,
        hint: 'reshape or expandDims one operand so that the axes line up.',
      });
    }
    out[i] = x === 1 ? y : x;
  }
  return out;
}

/** Returns the axes of `to` along which a tensor of shape `from` was repeated. Broadcasting is transposed by a sum over them. */
export function broadcastAxes(from: Shape, to: Shape): number[] {
  const offset = to.length - from.length;
  const axes = to.map((_, i) => i);
  return axes.filter((i) => i < offset || (from[i - offset] === 1 && to[i] !== 1));
}

/** Returns the shape after a reduction over `axes`. */
export function reducedShape(shape: Shape, axes: readonly number[], keepDims: boolean): number[] {
  if (keepDims) return shape.map((n, i) => (axes.includes(i) ? 1 : n));
  return shape.filter((_, i) => !axes.includes(i));
}

/** Throws unless `value` is an integer of at least `min`. */
export function requireInteger(
  op: string,
  what: string,
  value: unknown,
  min: number,
): asserts value is number {
  if (Number.isInteger(value) && (value as number) >= min) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` must be an integer of at least ${min}.`,
    received: `${what}: ${describe(value)}`,
    hint: `pass an integer such as ${Math.max(min, 1)}.`,
  });
}

/** Throws unless `value` is true or false. */
export function requireBoolean(op: string, what: string, value: unknown): asserts value is boolean {
  if (typeof value === 'boolean') return;
  throw new ValueError({
    op,
    rule: `\`${what}\` must be true or false.`,
    received: `${what}: ${describe(value)}`,
    hint: `pass a boolean, or leave \`${what}\` out.`,
  });
}

/** Throws unless `value` is a finite number. */
export function requireFinite(
  op: string,
  what: string,
  value: unknown,
  min = Number.NEGATIVE_INFINITY,
): void {
  if (Number.isFinite(value) && (value as number) >= min) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` must be a finite number${Number.isFinite(min) ? ` of at least ${min}` : ''}.`,
    received: `${what}: ${describe(value)}`,
    hint: `pass a number such as ${Math.max(min, 0) + 0.5}.`,
  });
}

/** Returns the element of `allowed` that matches `value`, ignoring case and underscores. Errors: ValueError. */
export function oneOf<T extends string>(op: string, what: string, value: unknown, allowed: readonly T[]): T {
  const name = foldedName(value);
  const found = allowed.find((candidate) => foldName(candidate) === name);
  requireOneOf(op, what, found ?? value, allowed);
  return found as T;
}

/** Throws unless `value` is one of `allowed`. */
export function requireOneOf<T extends string>(
  op: string,
  what: string,
  value: unknown,
  allowed: readonly T[],
): asserts value is T {
  if (allowed.includes(value as T)) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` must be ${allowed.map((a) => `'${a}'`).join(' or ')}.`,
    received: `${what}: ${describe(value)}`,
    hint: suggestionFor(value, allowed, 'pass one of the listed names.'),
  });
}

/** Throws unless `rank` is one of `allowed`. */
export function requireRank(op: string, what: string, shape: Shape, ...allowed: number[]): void {
  if (allowed.includes(shape.length)) return;
  throw new ShapeError({
    op,
    rule: `\`${what}\` must have rank ${allowed.join(' or ')}.`,
    received: `${what} of rank ${shape.length}, shape ${formatShape(shape)}`,
    hint: 'reshape or expandDims it to the expected rank.',
  });
}

/** Returns the multi-index of a flat row-major position. */
export function unravel(position: number, shape: Shape): number[] {
  const index = new Array<number>(shape.length);
  for (let i = shape.length - 1; i >= 0; i--) {
    const n = shape[i] as number;
    index[i] = position % n;
    position = Math.floor(position / n);
  }
  return index;
}
