/** @file solve, inv, det: by LU decomposition with partial pivoting. */
import { sameShape } from '../../core/shape.ts';
import { triangularSolveKernel } from '../../kernels/linalg/linalg.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mul, neg, sub } from '../elementwise/arithmetic.ts';
import { broadcastTo } from '../reductions/sum.ts';
import { cast } from '../elementwise/cast.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { defineOp, type Op } from '../define/define.ts';
import { diagonal } from '../arrangement/diagonal.ts';
import { mod } from '../elementwise/division.ts';
import { expandDims } from '../arrangement/expandDims.ts';
import { eye } from '../creation/eye.ts';
import { gather } from '../indexing/gather.ts';
import { luOf } from './luFactor.ts';
import { matMul } from '../products/matMul.ts';
import { requireSquare, requireSystem, transposed } from './matrices.ts';
import { prod } from '../reductions/prod.ts';
import { reshape } from '../arrangement/reshape.ts';

/**
 * x with a x = b, for invertible square matrices. float32. A singular matrix gives infinities and NaN. Shapes: a [..., n, n],
 * b [..., n, m] → that of b. By LU decomposition with partial pivoting: the residual is about n · 6e-8 of |a| |x|, and the
 * relative error that times the condition number.
 * Errors: ShapeError for shapes that don't fit, DTypeError.
 */
export const solve: Op<[a: Tensor, b: Tensor], object, Tensor<'float32'>> = /* @__PURE__ */ defineOp({
  name: 'solve',
  inputs: ['a', 'b'],
  options: {},
  save: { inputs: [0], outputs: [0] },
  readsOutputs: ([a]) => [a],
  infer: ([a, b]) => {
    requireSystem('solve', a, b);
    return { shape: b.shape, dtype: 'float32' };
  },
  forward: ([a, b], plan) => {
    const { factors, order } = luOf('solve', a);
    const batchDims = b.shape.length - 2;
    const rows = gather(b, order, { axis: batchDims, batchDims, validateIndices: false });
    const lower = { lower: true, transposed: false, unitDiagonal: true };
    const inner = triangularSolveKernel('solve', factors, rows, lower, plan);
    const upper = { lower: false, transposed: false, unitDiagonal: false };
    // Of the plan's dtype.
    return triangularSolveKernel('solve', factors, inner, upper, plan) as Tensor<'float32'>;
  },
  backward: ([dy], { inputs: [a], outputs: [x], needs }) => {
    const db = solve(transposed(a), dy);
    return [needs[0] ? neg(matMul(db, transposed(x))) : null, db];
  },
});

/**
 * The inverses of square matrices. float32. Shape: that of x [..., n, n]. If possible, use `solve` instead: it is faster and
 * more accurate. Accuracy: as for `solve`.
 * Errors: ShapeError for other shapes, DTypeError.
 */
export const inv: CompositeOp<[x: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'inv',
  acceptsFloat16: false,
  inputs: ['x'],
  options: {},
  compose: ([x]) => {
    requireSquare('inv', 'x', x);
    const ones = eye(x.shape.at(-1) as number);
    return solve(x, sameShape(ones.shape, x.shape) ? ones : broadcastTo(ones, { shape: x.shape }));
  },
});

/**
 * The determinants of square matrices. float32. Shapes: x [..., n, n] → [...]. The product of the pivots of LU. The gradient is
 * det(x) · inv(x)ᵀ: not finite for a singular matrix.
 * Errors: ShapeError for other shapes, DTypeError.
 */
export const det: Op<[x: Tensor], object, Tensor<'float32'>> = /* @__PURE__ */ defineOp({
  name: 'det',
  inputs: ['x'],
  options: {},
  save: { inputs: [0], outputs: [0] },
  infer: ([x]) => {
    requireSquare('det', 'x', x);
    return { shape: x.shape.slice(0, -2), dtype: 'float32' };
  },
  forward: ([x], plan) => {
    const { factors, changes } = luOf('det', x);
    const pivots = prod(diagonal(factors, { axis1: -2, axis2: -1 }), { axis: -1 });
    const sign = sub(1, mul(cast(mod(changes, 2), 'float32'), 2));
    // Both are float32.
    return mul(pivots, reshape(sign, { shape: plan.shape })) as Tensor<'float32'>;
  },
  backward: ([dy], { inputs: [x], outputs: [value] }) => {
    const scale = expandDims(expandDims(mul(dy, value), { axis: -1 }), { axis: -1 });
    return [mul(scale, transposed(inv(x)))];
  },
});
