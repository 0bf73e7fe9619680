/** @file cholesky */
import { choleskyKernel } from '../../kernels/linalg/linalg.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mul, sub } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { defineOp, type Op } from '../define/define.ts';
import { eye } from '../creation/eye.ts';
import { matMul } from '../products/matMul.ts';
import { requireSquare, symmetricPart, transposed } from './matrices.ts';
import { solveTriangular } from './solveTriangular.ts';
import { tril } from '../arrangement/triangle.ts';

/** The factor of symmetric matrices; its gradient is symmetric, too. See `cholesky`. */
const factorOf: Op<[x: Tensor], object, Tensor<'float32'>> = /* @__PURE__ */ defineOp({
  name: 'choleskyFactor',
  inputs: ['x'],
  options: {},
  save: { inputs: [], outputs: [0] },
  infer: ([{ shape }]) => ({ shape, dtype: 'float32' }),
  // Of the plan's dtype.
  forward: ([x], plan) => choleskyKernel('cholesky', x, plan) as Tensor<'float32'>,
  backward: ([dy], { outputs: [factor] }) => {
    // L⁻ᵀ Φ(Lᵀ dy) L⁻¹, where Φ takes the lower triangle with its diagonal halved; then symmetrized.
    const product = tril(matMul(transposed(factor), dy));
    const n = factor.shape.at(-1) as number;
    const halved = sub(product, mul(mul(product, eye(n)), 0.5));
    const left = solveTriangular(factor, halved, { transposeA: true });
    return [symmetricPart(transposed(solveTriangular(factor, transposed(left), { transposeA: true })))];
  },
});

/**
 * The lower triangular L with L Lᵀ = x, for symmetric positive definite matrices. Uses the symmetric part of x, as JAX does;
 * from the column on where a matrix isn't positive definite, values are NaN. float32. Shape: that of x [..., n, n]. Backward
 * stable: L Lᵀ equals x to about n · 6e-8 of its norm.
 * Source: G. Golub, C. Van Loan, Matrix computations, 4.2; I. Murray, "Differentiation of the Cholesky decomposition", 2016.
 * Errors: ShapeError for other shapes, DTypeError.
 */
export const cholesky: CompositeOp<[x: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'cholesky',
  acceptsFloat16: false,
  inputs: ['x'],
  options: {},
  compose: ([x]) => {
    requireSquare('cholesky', 'x', x);
    return factorOf(symmetricPart(x));
  },
});
