/** @file Linear algebra of keras.ops on svd, qr and cholesky. */
import { requireFinite } from '../../core/shape.ts';
import { div, mul } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { cholesky } from '../../ops/linalg/cholesky.ts';
import { greater } from '../../ops/elementwise/comparison.ts';
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { diagonal } from '../../ops/arrangement/diagonal.ts';
import { expandDims } from '../../ops/arrangement/expandDims.ts';
import { eye } from '../../ops/creation/eye.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { matMul } from '../../ops/products/matMul.ts';
import { requireSquare, transposed } from '../../ops/linalg/matrices.ts';
import { prod } from '../../ops/reductions/prod.ts';
import { qr } from '../../ops/linalg/qr.ts';
import { abs, round, sign } from '../../ops/elementwise/rounding.ts';
import { det } from '../../ops/linalg/solve.ts';
import { solveTriangular } from '../../ops/linalg/solveTriangular.ts';
import { broadcastTo, sum } from '../../ops/reductions/sum.ts';
import { svd } from '../../ops/linalg/svd.ts';
import { tril } from '../../ops/arrangement/triangle.ts';
import { log } from '../../ops/elementwise/unary.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** Options of `pinv` and `lstsq`. */
export interface RcondOptions {
  /** Singular values up to this fraction of the largest count as 0. Default: 1.2e-7 times the longer side. */
  rcond?: number | null;
}

/** Returns whether singular values count as nonzero. */
function counts(op: string, x: Tensor, s: Tensor, part: number | null): Tensor {
  if (part !== null) requireFinite(op, 'rcond', part, 0);
  const minimum = part ?? 2 ** -23 * Math.max(...x.shape.slice(-2));
  return greater(s, mul(max(s, { axis: -1, keepDims: true }), minimum));
}

function pseudoInverse(op: string, x: Tensor, rcond: number | null): Tensor {
  const [u, s, vh] = svd(x, { fullMatrices: false });
  const isKept = counts(op, x, s, rcond);
  const reciprocals = where(isKept, div(1, where(isKept, s, 1)), 0);
  return matMul(mul(transposed(vh), expandDims(reciprocals, { axis: -2 })), transposed(u));
}

/**
 * The Moore-Penrose inverses of matrices, by singular values. float32. Shapes: x [..., m, n] → [..., n, m]. Errors:
 * ShapeError, ValueError, DTypeError.
 */
export const pinv: CompositeOp<[x: Tensor], RcondOptions, Tensor, ['rcond']> =
  /* @__PURE__ */ defineComposite({
    name: 'pinv',
    inputs: ['x'],
    options: { rcond: true },
    compose: ([x], { rcond = null }) => pseudoInverse('pinv', x, rcond),
  });

/**
 * The least squares solution x of a x = b; of several, the one with the smallest norm. float32. Shapes: a [m, n], b [m] or
 * [m, k] → [n] or [n, k].
 * Errors: ShapeError, ValueError, DTypeError.
 */
export const lstsq: CompositeOp<[a: Tensor, b: Tensor], RcondOptions, Tensor, ['rcond']> =
  /* @__PURE__ */ defineComposite({
    name: 'lstsq',
    inputs: ['a', 'b'],
    options: { rcond: true },
    compose: ([a, b], { rcond = null }) => matMul(pseudoInverse('lstsq', a, rcond), b),
  });

export interface MatrixRankOptions {
  /** Singular values up to this fraction of the largest count as 0. Default: 1.2e-7 times the longer side. */
  rtol?: number | null;
}

/**
 * The number of singular values that aren't 0. int32. Shapes: x [..., m, n] → [...]; float32. Errors: ShapeError, ValueError,
 * DTypeError.
 */
export const matrixRank: CompositeOp<[x: Tensor], MatrixRankOptions, Tensor, ['rtol']> =
  /* @__PURE__ */ defineComposite({
    name: 'matrixRank',
    inputs: ['x'],
    options: { rtol: true },
    backward: null,
    compose: ([x], { rtol = null }) => {
      const [, s] = svd(x, { fullMatrices: false });
      return sum(cast(counts('matrixRank', x, s, rtol), 'int32'), { axis: -1 });
    },
  });

/**
 * [sign, logarithm of the magnitude] of determinants, without overflow. float32. Shapes: x [..., n, n] → [...] each.
 * Errors: ShapeError, DTypeError.
 */
export const slogdet: CompositeOp<[x: Tensor], object, Tensor[]> = /* @__PURE__ */ defineComposite({
  name: 'slogdet',
  inputs: ['x'],
  options: {},
  compose: ([x]) => {
    requireSquare('slogdet', 'x', x);
    const [q, r] = qr(x);
    const pivots = diagonal(r, { axis1: -2, axis2: -1 });
    const signs = prod(sign(pivots), { axis: -1 });
    return [mul(round(det(q)), signs), sum(log(abs(pivots)), { axis: -1 })];
  },
});

/**
 * The logarithms of the determinants of positive definite matrices. float32. Shapes: x [..., n, n] → [...]. Errors:
 * ShapeError, DTypeError.
 */
export const logdet: CompositeOp<[x: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'logdet',
  inputs: ['x'],
  options: {},
  compose: ([x]) => mul(sum(log(diagonal(cholesky(x), { axis1: -2, axis2: -1 })), { axis: -1 }), 2),
});

/** The inverses of L Lᵀ, from lower factors L. float32. Shape: that of x [..., n, n]. Errors: ShapeError, DTypeError. */
export const choleskyInverse: CompositeOp<[x: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'choleskyInverse',
  inputs: ['x'],
  options: {},
  compose: ([x]) => {
    requireSquare('choleskyInverse', 'x', x);
    const lower = tril(x);
    const inverse = solveTriangular(lower, broadcastTo(eye(x.shape.at(-1) as number), { shape: x.shape }));
    return matMul(inverse, inverse, { transposeA: true });
  },
});
