/** @file svd */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireBoolean } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { jacobiKernel } from '../../kernels/linalg/jacobi.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, div, mul, sub } from '../elementwise/arithmetic.ts';
import { less } from '../elementwise/comparison.ts';
import { concat } from '../arrangement/concat.ts';
import { eye } from '../creation/eye.ts';
import { ones } from '../creation/creation.ts';
import { defineOp, type Op } from '../define/define.ts';
import { diagonal } from '../arrangement/diagonal.ts';
import { expandDims } from '../arrangement/expandDims.ts';
import { gather } from '../indexing/gather.ts';
import { matMul } from '../products/matMul.ts';
import { diagonalMatrices, requireMatrices, scaleOf, transposed } from './matrices.ts';
import { qr } from './qr.ts';
import { reshape } from '../arrangement/reshape.ts';
import { abs } from '../elementwise/rounding.ts';
import { slice } from '../arrangement/slice.ts';
import { argsort } from '../sorting/sort.ts';
import { sum } from '../reductions/sum.ts';
import { square } from '../elementwise/unary.ts';
import { where } from '../elementwise/where.ts';

export interface SvdOptions {
  /** True (default): u and vh are square. False: they have min(m, n) columns and rows. */
  fullMatrices?: boolean;
}

type Factors = [u: Tensor<'float32'>, s: Tensor<'float32'>, vh: Tensor<'float32'>];

/**
 * [u, s, vh] with u diag(s) vh = x: u and the transpose of vh have orthonormal columns, and the singular values s are not
 * negative, in descending order. As in NumPy, JAX and Keras. float32. Shapes: x [..., m, n] → u [..., m, m], s [..., k], vh
 * [..., n, n], k = min(m, n); without `fullMatrices` u [..., m, k] and vh [..., k, n]. Signs of vectors are arbitrary. Backward
 * stable: u diag(s) vh equals x, and u and vh are orthonormal, to about m · 6e-8 of the norm of x; small singular values are
 * as accurate as the columns of x determine them. For matrices of up to a few hundred rows. The gradient through u and vh
 * needs distinct values, and `fullMatrices: false` if x isn't square; that through s alone doesn't.
 * Source: G. Golub, C. Van Loan, Matrix computations, 8.6.3 (one-sided Jacobi); the gradient, J. Townsend, "Differentiating the
 * singular value decomposition", 2016.
 * Errors: ShapeError for less than two axes, or for the gradient of full matrices; ValueError for the option, DTypeError.
 */
export const svd: Op<[x: Tensor], SvdOptions, Factors, 'unknown', ['fullMatrices']> =
  /* @__PURE__ */ defineOp({
    name: 'svd',
    inputs: ['x'],
    options: { fullMatrices: true },
    takesNull: true,
    save: { inputs: [], outputs: [0, 1, 2] },
    infer: ([x], { fullMatrices = true }) => planSvd(x, fullMatrices),
    forward: ([x], [u]) => {
      const [m, n] = x.shape.slice(-2) as [number, number];
      // The rows of `lines` are along the shorter side: the columns of a tall x.
      const lines = m >= n ? transposed(x) : x;
      const { vectors, values, rotations } = decomposed(lines, u.fullMatrices);
      if (m >= n) return [vectors, values, rotations] as Factors;
      return [transposed(rotations), values, transposed(vectors)] as Factors;
    },
    backward: ([du, ds, dvh], { outputs: [u, s, vh], plan: [spec] }) => {
      if ((du || dvh) && u.shape.at(-1) !== vh.shape.at(-2)) throw gradientOfFull(u, vh);
      const factors = reduced(u, s, vh, spec.fullMatrices);
      const inner = middleOf(du, ds, dvh, factors);
      if (!inner) return [null];
      const through = matMul(matMul(factors.u, inner), factors.vh);
      return [beyond(through, du, dvh, factors)];
    },
  });

function planSvd(x: TensorSpec, fullMatrices: boolean) {
  requireMatrices('svd', 'x', x);
  requireDType('svd', 'x', x.dtype, ['float32']);
  requireBoolean('svd', 'fullMatrices', fullMatrices);
  const batch = x.shape.slice(0, -2);
  const [m, n] = x.shape.slice(-2) as [number, number];
  const k = Math.min(m, n);
  return [
    { shape: [...batch, m, fullMatrices ? m : k], dtype: 'float32', fullMatrices },
    { shape: [...batch, k], dtype: 'float32' },
    { shape: [...batch, fullMatrices ? n : k, n], dtype: 'float32' },
  ] as const;
}

/** lines [..., k, l], k ≤ l, = rotationsᵀ diag(values) vectorsᵀ: rotations [..., k, k], vectors [..., l, l or k]. */
function decomposed(lines: Tensor, complete: boolean) {
  const batchDims = lines.shape.length - 2;
  const [k, l] = lines.shape.slice(-2) as [number, number];
  const scale = scaleOf(lines);
  const [w, rotations] = jacobiKernel('svd', div(lines, scale));
  const order = argsort(sum(square(w), { axis: -1 }), { descending: true });
  const sorted = (x: Tensor) => gather(x, order, { axis: batchDims, batchDims, validateIndices: false });
  // With orthogonal columns, r is diagonal; q is orthonormal even where columns are zero.
  const [q, r] = qr(transposed(sorted(w)), { mode: complete ? 'complete' : 'reduced' });
  const lengths = diagonal(r, { axis1: -2, axis2: -1 });
  const signs = where(less(lengths, 0), -1, ones(lengths.shape));
  const rest = ones([...signs.shape.slice(0, -1), (q.shape.at(-1) as number) - k]);
  const allSigns = l > k && complete ? concat([signs, rest], { axis: -1 }) : signs;
  return {
    vectors: mul(q, expandDims(allSigns, { axis: -2 })),
    values: mul(abs(lengths), reshape(scale, { shape: scale.shape.slice(0, -1) })),
    rotations: sorted(rotations),
  };
}

interface Reduced {
  readonly u: Tensor;
  readonly s: Tensor;
  readonly vh: Tensor;
}

/** Returns the first columns of u and rows of vh, one for each singular value. */
function reduced(u: Tensor, s: Tensor, vh: Tensor, fullMatrices: boolean): Reduced {
  if (!fullMatrices) return { u, s, vh };
  const [batch, k] = [s.shape.slice(0, -1), s.shape.at(-1) as number];
  const begin = u.shape.map(() => 0);
  return {
    u: slice(u, { begin, size: [...batch, u.shape.at(-2) as number, k] }),
    s,
    vh: slice(vh, { begin, size: [...batch, k, vh.shape.at(-1) as number] }),
  };
}

type Cotangent = Tensor | null;

/** Returns the matrix between u and vh in the gradient: the sum of the contributions of the three cotangents. */
function middleOf(du: Cotangent, ds: Cotangent, dvh: Cotangent, { u, s, vh }: Reduced): Cotangent {
  const [rows, columns] = [expandDims(s, { axis: -1 }), expandDims(s, { axis: -2 })];
  const identity = eye(s.shape.at(-1) as number);
  // 1 / (s_j² - s_i²), as a product that keeps small differences; 0 on the diagonal.
  const rates = () => sub(div(1, add(mul(sub(columns, rows), add(columns, rows)), identity)), identity);
  const antisymmetric = (product: Tensor) => mul(sub(product, transposed(product)), rates());
  const parts = [
    ds && diagonalMatrices(ds),
    du && mul(antisymmetric(matMul(transposed(u), du)), columns),
    dvh && mul(antisymmetric(matMul(vh, transposed(dvh))), rows),
  ].filter((part) => part !== null);
  return parts.length > 0 ? parts.reduce((total, part) => add(total, part)) : null;
}

/** Adds the components of du and dvh outside the spaces spanned by u and vh. */
function beyond(through: Tensor, du: Cotangent, dvh: Cotangent, { u, s, vh }: Reduced): Tensor {
  const [m, k, n] = [u.shape.at(-2), s.shape.at(-1), vh.shape.at(-1)] as [number, number, number];
  let total = through;
  if (du && m > k) {
    const rest = sub(du, matMul(u, matMul(transposed(u), du)));
    total = add(total, matMul(div(rest, expandDims(s, { axis: -2 })), vh));
  }
  if (dvh && n > k) {
    const rest = sub(dvh, matMul(matMul(dvh, transposed(vh)), vh));
    total = add(total, matMul(u, div(rest, expandDims(s, { axis: -1 }))));
  }
  return total;
}

function gradientOfFull(u: Tensor, vh: Tensor): ShapeError {
  return new ShapeError({
    op: 'svd',
    rule: 'the gradient of u and vh needs as many columns of u as rows of vh.',
    received: `u ${formatShape(u.shape)} and vh ${formatShape(vh.shape)}`,
    hint: 'pass fullMatrices: false.',
  });
}
