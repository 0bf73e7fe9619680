/** @file Trigonometric functions and their inverses. Angles are in radians, of any size. */
import * as math from '../../kernels/elementwise/math.ts';
import { add, div, mul, neg, sub } from './arithmetic.ts';
import { defineBinary, defineUnary, type FloatBinaryOp, type FloatOp } from './elementwise.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineDerivative } from './derivative.ts';
import { sqrt, square } from './unary.ts';

const sinDerivative = /* @__PURE__ */ defineDerivative({
  name: 'sinDerivative',
  expression: () => `a * ${math.preciseCos('b')}`,
  secondDerivative: (x) => neg(sin(x)),
});

/**
 * sin x. NaN for infinite x.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const sin: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'sin',
  expression: () => math.preciseSin('a'),
  gradient: sinDerivative,
});

const cosDerivative = /* @__PURE__ */ defineDerivative({
  name: 'cosDerivative',
  expression: () => `-a * ${math.preciseSin('b')}`,
  secondDerivative: (x) => neg(cos(x)),
});

/**
 * cos x. NaN for infinite x.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const cos: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'cos',
  expression: () => math.preciseCos('a'),
  gradient: cosDerivative,
});

const tanDerivative = /* @__PURE__ */ defineDerivative({
  name: 'tanDerivative',
  expression: 'a * (1.0 + b * b)',
  secondDerivative: (y) => mul(y, 2),
});

/**
 * tan x. NaN for infinite x.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const tan: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'tan',
  expression: () => math.preciseTan('a'),
  gradient: tanDerivative,
  reads: 'output',
});

/** x / (1 - x²)^(3/2), the second derivative of asin. */
function arcsineSecondDerivative(x: Tensor): Tensor {
  const rest = sub(1, square(x));
  return div(x, mul(rest, sqrt(rest)));
}

const asinDerivative = /* @__PURE__ */ defineDerivative({
  name: 'asinDerivative',
  expression: 'a / sqrt((1.0 - b) * (1.0 + b))',
  secondDerivative: arcsineSecondDerivative,
});

/**
 * The angle in [-π/2, π/2] whose sine is x; NaN beyond ±1.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const asin: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'asin',
  expression: () => math.preciseAsin('a'),
  gradient: asinDerivative,
});

const acosDerivative = /* @__PURE__ */ defineDerivative({
  name: 'acosDerivative',
  expression: '-a / sqrt((1.0 - b) * (1.0 + b))',
  secondDerivative: (x) => neg(arcsineSecondDerivative(x)),
});

/**
 * The angle in [0, π] whose cosine is x; NaN beyond ±1.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const acos: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'acos',
  expression: () => math.preciseAcos('a'),
  gradient: acosDerivative,
});

const atanDerivative = /* @__PURE__ */ defineDerivative({
  name: 'atanDerivative',
  expression: 'a / (1.0 + b * b)',
  secondDerivative: (x) => div(mul(x, -2), square(add(square(x), 1))),
});

/**
 * The angle in [-π/2, π/2] whose tangent is x.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const atan: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'atan',
  expression: () => math.preciseAtan('a'),
  gradient: atanDerivative,
});

/**
 * The angle in [-π, π] of the point (y, x), in this order of the operands. Shapes broadcast. Zeros and infinities as in
 * IEEE 754.
 * Dtype: float32. Errors: ShapeError where the shapes don’t broadcast; DTypeError for other dtypes.
 */
export const atan2: FloatBinaryOp = /* @__PURE__ */ defineBinary({
  name: 'atan2',
  expression: () => math.preciseAtan2('a', 'b'),
  dtypes: ['float32'],
  gradient: (dy, y, x, needs) => {
    const scaled = div(dy, add(square(x), square(y)));
    return [needs[0] ? mul(scaled, x) : null, needs[1] ? neg(mul(scaled, y)) : null];
  },
});
