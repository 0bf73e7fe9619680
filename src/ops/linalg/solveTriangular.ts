/** @file solveTriangular */
import { requireBoolean } from '../../core/shape.ts';
import { triangularSolveKernel } from '../../kernels/linalg/linalg.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { neg } from '../elementwise/arithmetic.ts';
import { defineOp, type Op } from '../define/define.ts';
import { matMul } from '../products/matMul.ts';
import { requireSystem, transposed } from './matrices.ts';
import { tril, triu } from '../arrangement/triangle.ts';

export interface SolveTriangularOptions {
  /** Whether `a` is lower triangular (default) or upper; its other triangle isn't read. */
  lower?: boolean;
  /** Solves aᵀ x = b. Default false. */
  transposeA?: boolean;
  /** Assumes ones on the diagonal of `a`, which isn't read. Default false. */
  unitDiagonal?: boolean;
}

/**
 * x with a x = b, for triangular matrices, by substitution. float32; a zero on the diagonal gives infinities and NaN.
 * Shapes: a [..., n, n], b [..., n, m] → that of b. Backward stable: the residual is about n · 6e-8 of |a| |x|.
 * Errors: ShapeError for shapes that don't fit, ValueError for options, DTypeError.
 */
export const solveTriangular: Op<
  [a: Tensor, b: Tensor],
  SolveTriangularOptions,
  Tensor<'float32'>,
  'unknown',
  ['lower', 'transposeA', 'unitDiagonal']
> = /* @__PURE__ */ defineOp({
  name: 'solveTriangular',
  inputs: ['a', 'b'],
  options: { lower: true, transposeA: true, unitDiagonal: true },
  save: { inputs: [0], outputs: [0] },
  readsOutputs: ([a]) => [a],
  infer: ([a, b], { lower = true, transposeA = false, unitDiagonal = false }) => {
    requireSystem('solveTriangular', a, b);
    for (const [name, value] of Object.entries({ lower, transposeA, unitDiagonal }))
      requireBoolean('solveTriangular', name, value);
    return { shape: b.shape, dtype: 'float32', system: { lower, transposed: transposeA, unitDiagonal } };
  },
  // Of the plan's dtype.
  forward: ([a, b], plan) =>
    triangularSolveKernel('solveTriangular', a, b, plan.system, plan) as Tensor<'float32'>,
  backward: ([dy], { inputs: [a], outputs: [x], plan: { system }, needs }) => {
    const { lower, transposed: transposeA, unitDiagonal } = system;
    const db = solveTriangular(a, dy, { lower, transposeA: !transposeA, unitDiagonal });
    if (!needs[0]) return [null, db];
    const full = transposeA ? matMul(x, transposed(db)) : matMul(db, transposed(x));
    const k = unitDiagonal ? 1 : 0;
    return [neg(lower ? tril(full, { k: -k }) : triu(full, { k })), db];
  },
});
