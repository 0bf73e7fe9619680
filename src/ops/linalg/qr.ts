/** @file qr */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { formatShape, requireOneOf } from '../../core/shape.ts';
import { householderKernel } from '../../kernels/linalg/linalg.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, sub } from '../elementwise/arithmetic.ts';
import { concat } from '../arrangement/concat.ts';
import { defineOp, type Op } from '../define/define.ts';
import { eye } from '../creation/eye.ts';
import { matMul } from '../products/matMul.ts';
import { requireMatrices, transposed } from './matrices.ts';
import { slice } from '../arrangement/slice.ts';
import { solveTriangular } from './solveTriangular.ts';
import { broadcastTo } from '../reductions/sum.ts';
import { tril, triu } from '../arrangement/triangle.ts';

export interface QrOptions {
  /** 'reduced' (default): as many columns of q as x has rows or columns; 'complete': all of them. */
  mode?: 'reduced' | 'complete';
}

/**
 * [q, r] with q r = x, orthonormal columns of q, and r upper triangular. float32. Shapes: x [..., m, n] → q [..., m, k],
 * r [..., k, n]; k = min(m, n), or m for mode 'complete'. Backward stable: q r equals x, and qᵀ q the identity, to about
 * m · 6e-8. Differentiable if r is square and invertible: m ≥ n and mode 'reduced', or m = n.
 * Source: G. Golub, C. Van Loan, Matrix computations, 5.2 (Householder); the gradient, S. Walter, L. Lehmann, "Algorithmic
 * differentiation of linear algebra functions", 2010.
 * Errors: ShapeError for less than two axes, or for the gradient if r isn't square; ValueError for the option, DTypeError.
 */
export const qr: Op<[x: Tensor], QrOptions, [q: Tensor, r: Tensor], 'unknown', ['mode']> =
  /* @__PURE__ */ defineOp({
    name: 'qr',
    inputs: ['x'],
    options: { mode: true },
    save: { inputs: [], outputs: [0, 1] },
    infer: ([x], { mode = 'reduced' }) => {
      requireDType('qr', 'x', x.dtype, ['float32']);
      requireOneOf('qr', 'mode', mode, ['reduced', 'complete']);
      requireMatrices('qr', 'x', x);
      const { shape } = x;
      const batch = shape.slice(0, -2);
      const [m, n] = shape.slice(-2) as [number, number];
      const k = mode === 'complete' ? m : Math.min(m, n);
      return [
        { shape: [...batch, m, k], dtype: 'float32' },
        { shape: [...batch, k, n], dtype: 'float32' },
      ] as const;
    },
    forward: ([x], [qSpec, rSpec]) => {
      const batch = x.shape.slice(0, -2);
      const [m, n] = x.shape.slice(-2) as [number, number];
      const ones = broadcastTo(eye(m), { shape: [...batch, m, m] });
      const whole = concat([x, ones], { axis: -1 });
      // The last row needs no reflection.
      const reflected = householderKernel('qr', whole, Math.min(Math.max(0, m - 1), n), whole);
      const begin = batch.map(() => 0);
      const r = triu(slice(reflected, { begin: [...begin, 0, 0], size: rSpec.shape }));
      const [k] = qSpec.shape.slice(-1) as [number];
      const q = transposed(slice(reflected, { begin: [...begin, 0, n], size: [...batch, k, m] }));
      return [q, r];
    },
    backward: ([dq, dr], { outputs: [q, r] }) => {
      const [k, n] = r.shape.slice(-2) as [number, number];
      if (k !== n) {
        throw new ShapeError({
          op: 'qr',
          rule: 'its gradient needs a square r.',
          received: `r ${formatShape(r.shape)}`,
          hint: "take matrices that have at least as many rows as columns, and mode: 'reduced'.",
        });
      }
      const inner = sub(matMul(r, transposed(dr)), matMul(transposed(dq), q));
      // The lower triangle, and its copy above.
      const lower = tril(inner);
      const symmetric = sub(add(lower, transposed(lower)), mul(lower, eye(n)));
      const cotangent = add(dq, matMul(q, symmetric));
      return [transposed(solveTriangular(r, transposed(cotangent), { lower: false }))];
    },
  });
