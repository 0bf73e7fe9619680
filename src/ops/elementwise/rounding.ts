/**
 * @file Step functions and abs: abs, sign, floor, ceil, round, step. The derivative of a function that is constant almost
 * everywhere is 0, also at its steps.
 */
import { requireFinite } from '../../core/shape.ts';
import * as math from '../../kernels/elementwise/math.ts';
import { defineUnary, type FloatOp, type UnaryOp } from './elementwise.ts';
import { zerosLike } from '../creation/like.ts';
import { defineDerivative } from './derivative.ts';

const absDerivative = /* @__PURE__ */ defineDerivative({
  name: 'absDerivative',
  expression: () => `select(select(select(-a, a, b > 0.0), 0.0, b == 0.0), b, ${math.isNan('b')})`,
  secondDerivative: null,
});

/**
 * |x|. Dtypes: float32, int32. Gradient: 0 at 0, NaN at NaN.
 * Shape: that of x. Errors: DTypeError for other dtypes.
 */
export const abs: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'abs',
  expression: 'abs(a)',
  dtypes: ['float32', 'int32'],
  gradient: absDerivative,
});

/**
 * -1, 0 or 1 by the sign of x; NaN stays NaN. Dtypes: float32, int32. Gradient: 0.
 * Shape: that of x. Errors: DTypeError for other dtypes.
 */
export const sign: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'sign',
  expression: (dtype) => (dtype === 'float32' ? `select(sign(a), a, ${math.isNan('a')})` : 'sign(a)'),
  dtypes: ['float32', 'int32'],
  gradient: (dy) => zerosLike(dy),
  reads: 'neither',
});

/**
 * The largest integer not above x. Gradient: 0.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const floor: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'floor',
  expression: 'floor(a)',
  gradient: (dy) => zerosLike(dy),
  reads: 'neither',
});

/**
 * The smallest integer not below x. Gradient: 0.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const ceil: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'ceil',
  expression: 'ceil(a)',
  gradient: (dy) => zerosLike(dy),
  reads: 'neither',
});

/**
 * The nearest integer; ties to even. Gradient: 0.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const round: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'round',
  expression: 'round(a)',
  gradient: (dy) => zerosLike(dy),
  reads: 'neither',
});

export interface StepOptions {
  /** The value for x ≤ 0. Default 0. */
  alpha?: number;
}

/**
 * 1 where x > 0, and alpha elsewhere; NaN stays NaN. Dtypes: float32; int32, with alpha truncated. Gradient: 0.
 * Errors: ValueError for an alpha that isn't finite.
 * Shape: that of x.
 */
export const step: UnaryOp<StepOptions, ['alpha']> = /* @__PURE__ */ defineUnary<StepOptions, ['alpha']>({
  name: 'step',
  options: { alpha: true },
  expression: (dtype) =>
    dtype === 'float32'
      ? `select(select(params.alpha, 1.0, a > 0.0), a, ${math.isNan('a')})`
      : 'select(bitcast<i32>(params.alpha_bits), 1, a > 0)',
  dtypes: ['float32', 'int32'],
  check: ({ alpha = 0 }) => requireFinite('step', 'alpha', alpha),
  scalars: ({ alpha = 0 }) => ({ alpha }),
  gradient: (dy) => zerosLike(dy),
  reads: 'neither',
});
