/** @file luFactor, and the LU decomposition that solve and det use. */
import { luKernel } from '../../kernels/linalg/linalg.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add } from '../elementwise/arithmetic.ts';
import { cast } from '../elementwise/cast.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { defineOp, type Op } from '../define/define.ts';
import { eye } from '../creation/eye.ts';
import { gather } from '../indexing/gather.ts';
import { matMul } from '../products/matMul.ts';
import { requireSquare, transposed } from './matrices.ts';
import { slice } from '../arrangement/slice.ts';
import { solveTriangular } from './solveTriangular.ts';
import { argsort } from '../sorting/sort.ts';
import { tril, triu } from '../arrangement/triangle.ts';

interface Factors {
  /** L and U in one. */
  readonly factors: Tensor;
  /** Where each row of LU was in x, [..., n]. */
  readonly order: Tensor;
  /** The number of row exchanges, [..., 1]. */
  readonly changes: Tensor;
  /** The row that each step exchanged with its own, [..., n]. */
  readonly pivots: Tensor;
}

/** The LU decomposition of `a` [..., n, n] with partial pivoting. */
export function luOf(op: string, a: Tensor): Factors {
  const batch = a.shape.slice(0, -2);
  const n = a.shape.at(-1) as number;
  const specs = [
    { shape: a.shape, dtype: 'float32' },
    { shape: [...batch, 2 * n + 1], dtype: 'uint32' },
  ] as const;
  const [factors, packed] = luKernel(op, a, specs);
  const begin = batch.map(() => 0);
  const part = (first: number, size: number) =>
    slice(packed, { begin: [...begin, first], size: [...batch, size] });
  return { factors, order: part(0, n), changes: part(n, 1), pivots: part(n + 1, n) };
}

/** With the order of rows, which the gradient needs. */
const factorsOf: Op<[x: Tensor], object, [lu: Tensor, pivots: Tensor<'int32'>, order: Tensor<'int32'>]> =
  /* @__PURE__ */ defineOp({
    name: 'luFactors',
    inputs: ['x'],
    options: {},
    save: { inputs: [], outputs: [0, 2] },
    infer: ([{ shape }]) => {
      const rows = { shape: shape.slice(0, -1), dtype: 'int32' } as const;
      return [{ shape, dtype: 'float32' }, rows, rows] as const;
    },
    forward: ([x]) => {
      const { factors, order, pivots } = luOf('luFactor', x);
      return [factors, cast(pivots, 'int32'), cast(order, 'int32')];
    },
    backward: ([dy], { outputs: [lu, , order] }) => {
      // L⁻ᵀ (below(Lᵀ dL) + triu(dU Uᵀ)) U⁻ᵀ, with the rows in the order of x.
      const lower = tril(matMul(transposed(unitLower(lu)), tril(dy, { k: -1 })), { k: -1 });
      const upper = triu(matMul(triu(dy), transposed(triu(lu))));
      const left = solveTriangular(lu, add(lower, upper), { transposeA: true, unitDiagonal: true });
      const rows = transposed(solveTriangular(lu, transposed(left), { lower: false }));
      const batchDims = lu.shape.length - 2;
      return [gather(rows, argsort(order), { axis: batchDims, batchDims, validateIndices: false })];
    },
  });

/** L, whose part below the diagonal is in `lu`. */
function unitLower(lu: Tensor): Tensor {
  return add(tril(lu, { k: -1 }), eye(lu.shape.at(-1) as number));
}

/**
 * [lu, pivots] of square matrices: L, below the diagonal, and U in one; and the row with which each step exchanged its own
 * row, counted from 0, as in LAPACK's getrf. Exchanging the rows of x in that order gives L U, where L has ones on its
 * diagonal. float32; pivots are int32. Shapes: x [..., n, n] → [..., n, n] and [..., n]. Partial pivoting: L U equals x to about
 * n · 6e-8 of |L| |U|. The gradient is finite for invertible matrices.
 * Source: G. Golub, C. Van Loan, Matrix computations, 3.4; the gradient, F. de Hoog et al., "The derivative of the LU
 * factorisation", 2011.
 * Errors: ShapeError for other shapes, DTypeError.
 */
export const luFactor: CompositeOp<[x: Tensor], object, [lu: Tensor, pivots: Tensor<'int32'>]> =
  /* @__PURE__ */ defineComposite({
    name: 'luFactor',
    acceptsFloat16: false,
    inputs: ['x'],
    options: {},
    compose: ([x]) => {
      requireSquare('luFactor', 'x', x);
      const [lu, pivots] = factorsOf(x);
      return [lu, pivots];
    },
  });
