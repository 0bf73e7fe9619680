/** @file Powers, roots, exponentials and logarithms of one operand. */
import * as math from '../../kernels/elementwise/math.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, div, mul, neg } from './arithmetic.ts';
import { type CompositeOp, defineComposite } from '../define/composite.ts';
import { defineUnary, type FloatOp, type UnaryOp } from './elementwise.ts';
import { defineDerivative } from './derivative.ts';

const squareDerivative = /* @__PURE__ */ defineDerivative({
  name: 'squareDerivative',
  expression: '2.0 * a * b',
  secondDerivative: () => 2,
});

/**
 * x². Dtypes: float32, int32, uint32; integers wrap around.
 * Shape: that of x. Errors: DTypeError for other dtypes.
 */
export const square: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'square',
  expression: 'a * a',
  dtypes: ['float32', 'int32', 'uint32'],
  gradient: squareDerivative,
});

const sqrtDerivative = /* @__PURE__ */ defineDerivative({
  name: 'sqrtDerivative',
  expression: '0.5 * a / b',
  secondDerivative: (y) => div(-0.5, square(y)),
});

/**
 * √x; NaN for negative x.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const sqrt: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'sqrt',
  expression: () => `select(sqrt(a), ${math.nanValue()}, (a < 0.0) | ${math.isNan('a')})`,
  gradient: sqrtDerivative,
  reads: 'output',
});

const rsqrtDerivative = /* @__PURE__ */ defineDerivative({
  name: 'rsqrtDerivative',
  expression: '-0.5 * a * b * b * b',
  secondDerivative: (y) => mul(square(y), -1.5),
});

/**
 * 1 / √x; NaN for negative x, Infinity at 0.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const rsqrt: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'rsqrt',
  expression: () => `select(inverseSqrt(a), ${math.nanValue()}, (a < 0.0) | ${math.isNan('a')})`,
  gradient: rsqrtDerivative,
  reads: 'output',
});

const reciprocalDerivative = /* @__PURE__ */ defineDerivative({
  name: 'reciprocalDerivative',
  expression: '-a * b * b',
  secondDerivative: (y) => mul(y, -2),
});

/**
 * 1 / x.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const reciprocal: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'reciprocal',
  expression: '1.0 / a',
  gradient: reciprocalDerivative,
  reads: 'output',
});

/**
 * e^x.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const exp: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'exp',
  expression: () => math.preciseExp('a'),
  gradient: (dy, y) => mul(dy, y),
  reads: 'output',
});

const expm1Derivative = /* @__PURE__ */ defineDerivative({
  name: 'expm1Derivative',
  expression: 'a * (b + 1.0)',
  secondDerivative: () => 1,
});

/**
 * e^x - 1, accurate near 0.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const expm1: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'expm1',
  expression: () => math.expm1('a'),
  gradient: expm1Derivative,
  reads: 'output',
});

/**
 * The natural logarithm of x; -Infinity at 0, NaN for negative x.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const log: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'log',
  expression: () => math.preciseLog('a'),
  gradient: (dy, x) => div(dy, x),
});

/**
 * The logarithm of x to base 2; -Infinity at 0, NaN for negative x.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const log2: CompositeOp<[x: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'log2',
  inputs: ['x'],
  options: {},
  compose: ([x]) => mul(log(x), Math.LOG2E),
});

/**
 * The logarithm of x to base 10; -Infinity at 0, NaN for negative x.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const log10: CompositeOp<[x: Tensor]> = /* @__PURE__ */ defineComposite({
  name: 'log10',
  inputs: ['x'],
  options: {},
  compose: ([x]) => mul(log(x), Math.LOG10E),
});

const log1pDerivative = /* @__PURE__ */ defineDerivative({
  name: 'log1pDerivative',
  expression: 'a / (1.0 + b)',
  secondDerivative: (x) => neg(square(reciprocal(add(x, 1)))),
});

/**
 * log(1 + x), accurate near 0.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const log1p: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'log1p',
  expression: () => math.log1p('a'),
  gradient: log1pDerivative,
});
