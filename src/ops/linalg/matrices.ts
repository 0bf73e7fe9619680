/** @file Common code of linear algebra ops: their operands, transposes and right-hand sides. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, sameShape, type Shape } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul } from '../elementwise/arithmetic.ts';
import { equal } from '../elementwise/comparison.ts';
import { expandDims } from '../arrangement/expandDims.ts';
import { max } from '../reductions/extrema.ts';
import { eye } from '../creation/eye.ts';
import { moveAxis } from '../arrangement/moveAxis.ts';
import { abs } from '../elementwise/rounding.ts';
import { where } from '../elementwise/where.ts';

/** x with its last two axes exchanged. */
export function transposed(x: Tensor): Tensor {
  return moveAxis(x, { source: -1, destination: -2 });
}

/** (x + xᵀ) / 2. */
export function symmetricPart(x: Tensor): Tensor {
  return mul(add(x, transposed(x)), 0.5);
}

/** Matrices [..., n, n] with `x` [..., n] on their diagonals. */
export function diagonalMatrices(x: Tensor): Tensor {
  return mul(expandDims(x, { axis: -1 }), eye(x.shape.at(-1) as number));
}

/**
 * The largest magnitude of each matrix, [..., 1, 1]; 1 for a matrix of zeros. After division by it, squares don't overflow.
 */
export function scaleOf(x: Tensor): Tensor {
  const largest = max(abs(x), { axis: [-2, -1], keepDims: true });
  return where(equal(largest, 0), 1, largest);
}

/** Throws unless `x` holds matrices, in its last two axes. */
export function requireMatrices(op: string, name: string, { shape }: TensorSpec): void {
  if (shape.length >= 2) return;
  throw new ShapeError({
    op,
    rule: `\`${name}\` must have at least two axes.`,
    received: `${name} ${formatShape(shape)}`,
    hint: 'the last two axes are those of the matrices.',
  });
}

/** Throws unless `a` holds square matrices of float32. */
export function requireSquare(op: string, name: string, { shape, dtype }: TensorSpec): void {
  requireDType(op, name, dtype, ['float32']);
  if (shape.length >= 2 && shape.at(-1) === shape.at(-2)) return;
  throw new ShapeError({
    op,
    rule: `\`${name}\` must be square matrices, [..., n, n].`,
    received: `${name} ${formatShape(shape)}`,
    hint: 'the last two axes are those of the matrices.',
  });
}

/** Throws unless `b` [..., n, m] are right-hand sides of `a` [..., n, n]. */
export function requireSystem(op: string, a: TensorSpec, b: TensorSpec): void {
  requireSquare(op, 'a', a);
  requireDType(op, 'b', b.dtype, ['float32']);
  const matches = (shape: Shape) => sameShape(a.shape.slice(0, -1), shape.slice(0, -1));
  if (b.shape.length === a.shape.length && matches(b.shape)) return;
  throw new ShapeError({
    op,
    rule: '`b` must be [..., n, m] for matrices `a` [..., n, n] of the same batch.',
    received: `a ${formatShape(a.shape)} and b ${formatShape(b.shape)}`,
    hint: 'a vector is a matrix of one column: expandDims(b, { axis: -1 }).',
  });
}
