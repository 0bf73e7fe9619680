/** @file What ops of linear algebra share: their operands, transposes and right-hand sides. */
import { requireDType } from '../core/dtype.ts';
import { ShapeError } from '../core/errors.ts';
import { formatShape, sameShape, type Shape } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { moveAxis } from './moveAxis.ts';

/** x with its last two axes exchanged. */
export function transposed(x: Tensor): Tensor {
  return moveAxis(x, { source: -1, destination: -2 });
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
