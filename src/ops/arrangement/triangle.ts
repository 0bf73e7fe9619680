/** @file tril, triu: triangles of matrices. */
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireInteger, type Shape } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { lessEqual } from '../elementwise/comparison.ts';
import { range } from '../creation/range.ts';
import { reshape } from './reshape.ts';
import { where } from '../elementwise/where.ts';

/** Options of `tril` and `triu`. */
export interface TriangleOptions {
  /** The diagonal that bounds the triangle: 0 is the main one, positive ones lie above it. Default 0. */
  k?: number;
}

const optionNames = { k: true } as const;

/**
 * The lower triangle of each matrix, up to diagonal `k`; zeros above it. Any dtype. Shape: that of x [..., m, n].
 * Errors: ShapeError unless x has two axes or more; ValueError for a fractional k.
 */
export const tril: CompositeOp<[x: Tensor], TriangleOptions, Tensor, ['k']> = /* @__PURE__ */ defineComposite(
  {
    name: 'tril',
    inputs: ['x'],
    options: optionNames,
    compose: ([x], { k = 0 }) => where(isBelow('tril', x.shape, k), x, zeroOf(x)),
  },
);

/**
 * The upper triangle of each matrix, from diagonal `k` on; zeros below it. Any dtype. Shape: that of x [..., m, n].
 * Errors: ShapeError unless x has two axes or more; ValueError for a fractional k.
 */
export const triu: CompositeOp<[x: Tensor], TriangleOptions, Tensor, ['k']> = /* @__PURE__ */ defineComposite(
  {
    name: 'triu',
    inputs: ['x'],
    options: optionNames,
    compose: ([x], { k = 0 }) => where(isBelow('triu', x.shape, k, -1), zeroOf(x), x),
  },
);

/** A zero of the dtype of x: a number next to bools would make integers of them. */
const zeroOf = (x: Tensor) => (x.dtype === 'bool' ? false : 0);

/** Returns whether an element is on diagonal `k + offset` or below: column ≤ row + k + offset. Shape [m, n]. */
function isBelow(op: string, shape: Shape, k: number, offset = 0): Tensor {
  const [rows, columns] = shape.slice(-2);
  if (rows === undefined || columns === undefined) {
    throw new ShapeError({
      op,
      rule: '`x` must have two axes or more.',
      received: `x ${formatShape(shape)}`,
      hint: 'pass a matrix, or matrices along leading axes.',
    });
  }
  requireInteger(op, 'k', k, Number.MIN_SAFE_INTEGER);
  const first = k + offset;
  const bounds = reshape(range(first, first + rows, 1, { dtype: 'int32' }), { shape: [rows, 1] });
  return lessEqual(range(0, columns, 1, { dtype: 'int32' }), bounds);
}
