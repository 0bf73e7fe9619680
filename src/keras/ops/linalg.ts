/** @file Linear algebra of keras.ops on svd, qr and cholesky. */
import { requireBoolean, requireFinite } from '../../core/shape.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import { expandDims, squeeze } from '../../ops/arrangement/expandDims.ts';
import { div, mul } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { greater } from '../../ops/elementwise/comparison.ts';
import type { CompositeOp } from '../../ops/define/composite.ts';
import { diagonal } from '../../ops/arrangement/diagonal.ts';
import { eye } from '../../ops/creation/eye.ts';
import { max } from '../../ops/reductions/extrema.ts';
import { matMul } from '../../ops/products/matMul.ts';
import { requireSquare, transposed } from '../../ops/linalg/matrices.ts';
import { prod } from '../../ops/reductions/prod.ts';
import { qr } from '../../ops/linalg/qr.ts';
import { abs, round, sign } from '../../ops/elementwise/rounding.ts';
import { det, solve as librarySolve } from '../../ops/linalg/solve.ts';
import {
  solveTriangular as librarySolveTriangular,
  type SolveTriangularOptions,
} from '../../ops/linalg/solveTriangular.ts';
import { broadcastTo, sum } from '../../ops/reductions/sum.ts';
import { svd as librarySvd, type SvdOptions as LibrarySvdOptions } from '../../ops/linalg/svd.ts';
import { tril } from '../../ops/arrangement/triangle.ts';
import { log } from '../../ops/elementwise/unary.ts';
import { where } from '../../ops/elementwise/where.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { composeFloats } from './composites.ts';
import type { CholeskyOptions } from './kerasArguments.ts';

/** Solves for vectors as for matrices of one column. */
function withVectors(a: Tensor, b: Tensor, solve: (b: Tensor) => Tensor): Tensor {
  if (b.shape.length !== a.shape.length - 1) return solve(b);
  return squeeze(solve(expandDims(b, { axis: -1 })), { axis: -1 });
}

/**
 * The library's `solve`, also of vectors: a [..., n, n], b [..., n] → [..., n]. Integers become floats. float32. Other shapes and
 * errors: as there.
 */
export const solve: CompositeOp<[a: Tensor, b: Tensor]> = /* @__PURE__ */ composeFloats({
  name: 'solve',
  inputs: ['a', 'b'],
  options: {},
  compose: ([a, b]) => withVectors(a, b, (columns) => librarySolve(a, columns)),
});

/**
 * The library's `solveTriangular`, also of vectors, and of upper triangular matrices unless `lower` is true. float32. Other shapes and
 * errors: as there.
 */
export const solveTriangular: CompositeOp<
  [a: Tensor, b: Tensor],
  SolveTriangularOptions,
  Tensor,
  ['lower', 'transposeA', 'unitDiagonal']
> = /* @__PURE__ */ composeFloats({
  name: 'solveTriangular',
  inputs: ['a', 'b'],
  options: { lower: true, transposeA: true, unitDiagonal: true },
  compose: ([a, b], { lower = false, ...others }) =>
    withVectors(a, b, (columns) => librarySolveTriangular(a, columns, { lower, ...others })),
});

export interface SvdOptions extends LibrarySvdOptions {
  /** False returns the singular values alone, a tensor instead of three. Default true. */
  computeUv?: boolean;
}

/**
 * The library's `svd`, or its singular values alone, without `computeUv`. Integers become floats. Shapes and errors: as there.
 */
export const svd: Svd = /* @__PURE__ */ composeFloats({
  name: 'svd',
  inputs: ['x'],
  options: { fullMatrices: true, computeUv: true },
  compose: ([x]: [Tensor], { computeUv = true, ...options }: SvdOptions): Tensor | Tensor[] => {
    requireBoolean('svd', 'computeUv', computeUv);
    // The gradient of singular values alone doesn't need square factors.
    return computeUv ? [...librarySvd(x, options)] : librarySvd(x, { fullMatrices: false })[1];
  },
} as never) as unknown as Svd;

type Factors = [u: Tensor, s: Tensor, vh: Tensor];

/** `svd` of keras.ops: three factors, or the singular values alone. */
export interface Svd extends CompositeOp<[x: Tensor], SvdOptions, Factors, ['fullMatrices', 'computeUv']> {
  (x: TensorLike, options: SvdOptions & { computeUv: false }): Tensor;
}

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
  const [u, s, vh] = librarySvd(x, { fullMatrices: false });
  const isKept = counts(op, x, s, rcond);
  const reciprocals = where(isKept, div(1, where(isKept, s, 1)), 0);
  return matMul(mul(transposed(vh), expandDims(reciprocals, { axis: -2 })), transposed(u));
}

/**
 * The Moore-Penrose inverses of matrices, by singular values. float32. Shapes: x [..., m, n] → [..., n, m]. Errors:
 * ShapeError, ValueError, DTypeError.
 */
export const pinv: CompositeOp<[x: Tensor], RcondOptions, Tensor, ['rcond']> = /* @__PURE__ */ composeFloats({
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
  /* @__PURE__ */ composeFloats({
    name: 'lstsq',
    inputs: ['a', 'b'],
    options: { rcond: true },
    compose: ([a, b], { rcond = null }) => matMul(pseudoInverse('lstsq', a, rcond), b),
  });

export interface MatrixRankOptions {
  /** Singular values up to this fraction of the largest count as 0. Default: 1.2e-7 times the longer side. */
  rtol?: number | null;
  /** The absolute value up to which singular values count as 0. Default null: by `rtol`. */
  tol?: number | null;
}

/**
 * The number of singular values that aren't 0. int32. Shapes: x [..., m, n] → [...]; float32. Errors: ShapeError, ValueError,
 * DTypeError.
 */
export const matrixRank: CompositeOp<[x: Tensor], MatrixRankOptions, Tensor, ['tol']> =
  /* @__PURE__ */ composeFloats({
    name: 'matrixRank',
    inputs: ['x'],
    options: { tol: true, rtol: false },
    backward: null,
    compose: ([x], { tol = null, rtol = null }) => {
      const [, s] = librarySvd(x, { fullMatrices: false });
      if (tol !== null) requireFinite('matrixRank', 'tol', tol, 0);
      const isCounted = tol === null ? counts('matrixRank', x, s, rtol) : greater(s, tol);
      return sum(cast(isCounted, 'int32'), { axis: -1 });
    },
  });

/** The logarithm of the magnitude of the determinant of a triangular matrix. */
const logMagnitude = (r: Tensor) => sum(log(abs(diagonal(r, { axis1: -2, axis2: -1 }))), { axis: -1 });

/**
 * [sign, logarithm of the magnitude] of determinants, without overflow. float32. Shapes: x [..., n, n] → [...] each.
 * Errors: ShapeError, DTypeError.
 */
export const slogdet: CompositeOp<[x: Tensor], object, Tensor[]> = /* @__PURE__ */ composeFloats({
  name: 'slogdet',
  inputs: ['x'],
  options: {},
  compose: ([x]) => {
    requireSquare('slogdet', 'x', x);
    const [q, r] = qr(x);
    const pivots = diagonal(r, { axis1: -2, axis2: -1 });
    const signs = prod(sign(pivots), { axis: -1 });
    return [mul(round(det(q)), signs), logMagnitude(r)];
  },
});

/**
 * The logarithms of the magnitudes of determinants, as in NumPy. float32. Shapes: x [..., n, n] → [...]. Errors: ShapeError,
 * DTypeError.
 */
export const logdet: CompositeOp<[x: Tensor]> = /* @__PURE__ */ composeFloats({
  name: 'logdet',
  inputs: ['x'],
  options: {},
  compose: ([x]) => {
    requireSquare('logdet', 'x', x);
    return logMagnitude(qr(x)[1]);
  },
});

/**
 * The inverses of L Lᵀ, from lower factors L, or of Uᵀ U, from upper factors U. float32. Shape: that of x [..., n, n]. Errors:
 * ShapeError, ValueError, DTypeError.
 */
export const choleskyInverse: CompositeOp<[x: Tensor], CholeskyOptions, Tensor, ['upper']> =
  /* @__PURE__ */ composeFloats({
    name: 'choleskyInverse',
    inputs: ['x'],
    options: { upper: true },
    compose: ([x], { upper = false }) => {
      requireSquare('choleskyInverse', 'x', x);
      requireBoolean('choleskyInverse', 'upper', upper);
      const lower = tril(upper ? transposed(x) : x);
      const inverse = librarySolveTriangular(
        lower,
        broadcastTo(eye(x.shape.at(-1) as number), { shape: x.shape }),
      );
      return matMul(inverse, inverse, { transposeA: true });
    },
  });
