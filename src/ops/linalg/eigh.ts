/** @file eigh */
import { jacobiKernel } from '../../kernels/linalg/jacobi.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, div, mul, sub } from '../elementwise/arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { defineOp, type Op } from '../define/define.ts';
import { expandDims } from '../arrangement/expandDims.ts';
import { eye } from '../creation/eye.ts';
import { gather } from '../indexing/gather.ts';
import { matMul } from '../products/matMul.ts';
import { diagonalMatrices, requireSquare, scaleOf, symmetricPart, transposed } from './matrices.ts';
import { reshape } from '../arrangement/reshape.ts';
import { argsort } from '../sorting/sort.ts';
import { sum } from '../reductions/sum.ts';
import { takeAlongAxis } from '../indexing/takeAlongAxis.ts';
import { euclideanNorm } from '../reductions/euclideanNorm.ts';

type Eigenpairs = [values: Tensor<'float32'>, vectors: Tensor<'float32'>];

/** Eigenpairs of symmetric matrices; the gradient is symmetric, too. See `eigh`. */
const eigenpairs: Op<[x: Tensor], object, Eigenpairs> = /* @__PURE__ */ defineOp({
  name: 'eigenpairs',
  inputs: ['x'],
  options: {},
  takesNull: true,
  save: { inputs: [], outputs: [0, 1] },
  infer: ([{ shape }]) =>
    [
      { shape: shape.slice(0, -1), dtype: 'float32' },
      { shape, dtype: 'float32' },
    ] as const,
  forward: ([x]) => {
    const scale = scaleOf(x);
    const scaled = div(x, scale);
    const rows = eigenvectors(scaled);
    // Rayleigh quotients: their errors are quadratic in those of the vectors.
    const values = mul(
      sum(mul(matMul(rows, scaled), rows), { axis: -1 }),
      reshape(scale, { shape: rowsOf(scale) }),
    );
    const order = argsort(values);
    const batchDims = x.shape.length - 2;
    const sorted = gather(rows, order, { axis: batchDims, batchDims, validateIndices: false });
    return [takeAlongAxis(values, order, { axis: -1 }), transposed(sorted)] as Eigenpairs;
  },
  backward: ([dValues, dVectors], { outputs: [values, vectors] }) => {
    const inner = [dValues && diagonalMatrices(dValues), dVectors && ofVectors(dVectors, values, vectors)];
    const [first, second] = inner.filter((part) => part !== null);
    if (!first) return [null];
    const middle = second ? add(first, second) : first;
    return [symmetricPart(matMul(matMul(vectors, middle), transposed(vectors)))];
  },
});

/** [..., 1, 1] as [..., 1]. */
const rowsOf = ({ shape }: Tensor) => shape.slice(0, -1);

/**
 * Returns the eigenvectors, as rows, of symmetric matrices with elements up to 1. Shifted by twice their norm, the matrices are
 * positive definite and well conditioned, so that singular vectors are eigenvectors.
 */
function eigenvectors(x: Tensor): Tensor {
  const shift = mul(euclideanNorm(x, { axis: [-2, -1], keepDims: true }), 2);
  const [, rotations] = jacobiKernel('eigh', add(x, mul(shift, eye(x.shape.at(-1) as number))));
  return rotations;
}

/**
 * Returns the gradient through the vectors, in their basis: vectorsᵀ dVectors, each element divided by the difference of two
 * values.
 */
function ofVectors(dVectors: Tensor, values: Tensor, vectors: Tensor): Tensor {
  const ones = eye(values.shape.at(-1) as number);
  const differences = sub(expandDims(values, { axis: -2 }), expandDims(values, { axis: -1 }));
  const rates = sub(div(1, add(differences, ones)), ones);
  return mul(rates, matMul(transposed(vectors), dVectors));
}

/**
 * [values, vectors] of symmetric matrices: eigenvalues in ascending order, and eigenvectors of length 1 as columns. Uses
 * the symmetric part of x, as JAX does. float32. Shapes: x [..., n, n] → values [..., n], vectors [..., n, n]. The sign of a
 * vector is arbitrary. Accuracy: vectors are orthonormal, and x · vectors equals vectors · values, to about n · 6e-8 of the
 * norm of x. For matrices of up to a few hundred rows. With repeated values, the gradient through vectors isn't finite; that
 * through values alone is.
 * Source: G. Golub, C. Van Loan, Matrix computations, 8.5 (Jacobi); the gradient, M. Giles, "An extended collection of matrix
 * derivative results for forward and reverse mode algorithmic differentiation", 2008.
 * Errors: ShapeError for other shapes, DTypeError.
 */
export const eigh: CompositeOp<[x: Tensor], object, Eigenpairs> = /* @__PURE__ */ defineComposite({
  name: 'eigh',
  acceptsFloat16: false,
  inputs: ['x'],
  options: {},
  compose: ([x]) => {
    requireSquare('eigh', 'x', x);
    return eigenpairs(symmetricPart(x));
  },
});
