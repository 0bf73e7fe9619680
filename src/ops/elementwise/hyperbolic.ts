/** @file Hyperbolic functions and their inverses. */
import * as math from '../../kernels/elementwise/math.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, div, mul, neg, sub } from './arithmetic.ts';
import { defineUnary, type FloatOp } from './elementwise.ts';
import { type Derivative, defineDerivative } from './derivative.ts';
import { sqrt, square } from './unary.ts';

const sinhDerivative = /* @__PURE__ */ defineDerivative({
  name: 'sinhDerivative',
  expression: () => `a * ${math.preciseCosh('b')}`,
  secondDerivative: (x) => sinh(x),
});

/**
 * (e^x - e^-x) / 2.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const sinh: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'sinh',
  expression: () => math.preciseSinh('a'),
  gradient: sinhDerivative,
});

const coshDerivative = /* @__PURE__ */ defineDerivative({
  name: 'coshDerivative',
  expression: () => `a * ${math.preciseSinh('b')}`,
  secondDerivative: (x) => cosh(x),
});

/**
 * (e^x + e^-x) / 2.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const cosh: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'cosh',
  expression: () => math.preciseCosh('a'),
  gradient: coshDerivative,
});

/** dy · tanh'(x), from y = tanh(x). */
export const tanhDerivative: Derivative<object> = /* @__PURE__ */ defineDerivative({
  name: 'tanhDerivative',
  expression: 'a * (1.0 - b) * (1.0 + b)',
  secondDerivative: (y) => mul(y, -2),
});

/**
 * sinh x / cosh x; ±1 for large x.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const tanh: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'tanh',
  expression: () => math.preciseTanh('a'),
  gradient: tanhDerivative,
  reads: 'output',
});

const power = (base: Tensor) => mul(base, sqrt(base));

const asinhDerivative = /* @__PURE__ */ defineDerivative({
  name: 'asinhDerivative',
  expression: 'a / sqrt(1.0 + b * b)',
  secondDerivative: (x) => neg(div(x, power(add(square(x), 1)))),
});

/**
 * log(x + √(x² + 1)).
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const asinh: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'asinh',
  expression: () => math.preciseAsinh('a'),
  gradient: asinhDerivative,
});

const acoshDerivative = /* @__PURE__ */ defineDerivative({
  name: 'acoshDerivative',
  // Below -1 the root is a number, though the function isn't.
  expression: () => `select(a / sqrt((b - 1.0) * (b + 1.0)), ${math.nanValue()}, b < 1.0)`,
  secondDerivative: (x) => neg(div(x, power(sub(square(x), 1)))),
});

/**
 * log(x + √(x² - 1)); NaN below 1.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const acosh: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'acosh',
  expression: () => math.preciseAcosh('a'),
  gradient: acoshDerivative,
});

const atanhDerivative = /* @__PURE__ */ defineDerivative({
  name: 'atanhDerivative',
  expression: 'a / ((1.0 - b) * (1.0 + b))',
  secondDerivative: (x) => div(mul(x, 2), square(sub(1, square(x)))),
});

/**
 * ½ log((1 + x) / (1 - x)); ±Infinity at ±1, NaN beyond.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const atanh: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'atanh',
  expression: () => math.preciseAtanh('a'),
  gradient: atanhDerivative,
});
