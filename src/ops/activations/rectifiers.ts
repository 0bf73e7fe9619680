/**
 * @file Piecewise, mostly linear activations: relu, relu6, leakyRelu, elu, selu, hardSigmoid, hardSwish. If possible,
 * gradients read the output, which the next layer keeps anyway.
 */
import { requireFinite } from '../../core/shape.ts';
import * as math from '../../kernels/elementwise/math.ts';
import { mul } from '../elementwise/arithmetic.ts';
import { cast } from '../elementwise/cast.ts';
import { less, lessEqual } from '../elementwise/comparison.ts';
import { defineUnary, type FloatOp, type UnaryOp } from '../elementwise/elementwise.ts';
import { abs } from '../elementwise/rounding.ts';
import { type Derivative, defineDerivative } from '../elementwise/derivative.ts';

/** dy · relu'(x), from y = relu(x). */
export const reluDerivative: Derivative<object> = /* @__PURE__ */ defineDerivative({
  name: 'reluDerivative',
  expression: 'select(0.0, a, b > 0.0)',
  secondDerivative: null,
});

/**
 * x where it is positive, 0 elsewhere; NaN stays NaN. Dtypes: float32, int32. Gradient: 0 at 0.
 * Shape: that of x. Errors: DTypeError for other dtypes.
 */
export const relu: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'relu',
  expression: (dtype) => (dtype === 'float32' ? math.relu('a') : 'max(a, 0)'),
  dtypes: ['float32', 'int32'],
  gradient: reluDerivative,
  reads: 'output',
});

/** dy · relu6'(x), from y = relu6(x). */
export const relu6Derivative: Derivative<object> = /* @__PURE__ */ defineDerivative({
  name: 'relu6Derivative',
  expression: 'select(0.0, a, (b > 0.0) & (b < 6.0))',
  secondDerivative: null,
});

/**
 * x within [0, 6], and the nearer bound elsewhere; NaN stays NaN. Dtypes: float32, int32. Gradient: 0 at 0 and at 6.
 * Shape: that of x. Errors: DTypeError for other dtypes.
 */
export const relu6: UnaryOp = /* @__PURE__ */ defineUnary({
  name: 'relu6',
  expression: (dtype) => (dtype === 'float32' ? math.relu6('a') : 'clamp(a, 0, 6)'),
  dtypes: ['float32', 'int32'],
  gradient: relu6Derivative,
  reads: 'output',
});

export interface LeakyReluOptions {
  /** Slope for x ≤ 0; at least 0. Default 0.2. */
  negativeSlope?: number;
}

/** dy · leakyRelu'(x), from y = leakyRelu(x). */
export const leakyReluDerivative: Derivative<LeakyReluOptions> = /* @__PURE__ */ defineDerivative({
  name: 'leakyReluDerivative',
  expression: 'select(params.alpha * a, a, b > 0.0)',
  scalars: ({ negativeSlope = 0.2 }) => ({ alpha: negativeSlope }),
  secondDerivative: null,
});

/**
 * x where it is positive, `negativeSlope` x elsewhere. Gradient: `negativeSlope` at 0.
 * Errors: ValueError for a slope that is negative or not finite.
 * Shape: that of x. Dtype: float32; DTypeError for others.
 */
export const leakyRelu: FloatOp<LeakyReluOptions, ['negativeSlope']> = /* @__PURE__ */ defineUnary<
  LeakyReluOptions,
  ['negativeSlope']
>({
  name: 'leakyRelu',
  options: { negativeSlope: true },
  expression: 'select(params.alpha * a, a, a > 0.0)',
  check: ({ negativeSlope = 0.2 }) => requireFinite('leakyRelu', 'negativeSlope', negativeSlope, 0),
  scalars: ({ negativeSlope = 0.2 }) => ({ alpha: negativeSlope }),
  gradient: leakyReluDerivative,
  reads: 'output',
});

export interface EluOptions {
  /** The limit of -elu for x → -∞; at least 0. Default 1. */
  alpha?: number;
}

/** dy · elu'(x), from y = elu(x). */
export const eluDerivative: Derivative<EluOptions> = /* @__PURE__ */ defineDerivative({
  name: 'eluDerivative',
  expression: 'select(a * (b + params.alpha), a, b > 0.0)',
  scalars: ({ alpha = 1 }) => ({ alpha }),
  secondDerivative: (y) => cast(lessEqual(y, 0), 'float32'),
});

/**
 * x where it is positive, alpha (e^x - 1) elsewhere. Gradient: alpha at 0.
 * Errors: ValueError for an alpha that is negative or not finite.
 * Shape: that of x. Dtype: float32; DTypeError for others.
 */
export const elu: FloatOp<EluOptions, ['alpha']> = /* @__PURE__ */ defineUnary<EluOptions, ['alpha']>({
  name: 'elu',
  options: { alpha: true },
  expression: () => math.elu('a', 'params.alpha'),
  check: ({ alpha = 1 }) => requireFinite('elu', 'alpha', alpha, 0),
  scalars: ({ alpha = 1 }) => ({ alpha }),
  gradient: eluDerivative,
  reads: 'output',
});

const seluDerivative = /* @__PURE__ */ defineDerivative({
  name: 'seluDerivative',
  // At 0 it is the right derivative, as in TensorFlow.
  expression: 'a * select(b + 1.75809934, 1.05070099, b >= 0.0)',
  secondDerivative: (y) => cast(less(y, 0), 'float32'),
});

/**
 * scale · elu(x) with the constants for which activations keep mean 0 and variance 1. Gradient: scale at 0.
 * Source: G. Klambauer et al., Self-normalizing neural networks, 2017.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const selu: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'selu',
  expression: () => math.selu('a'),
  gradient: seluDerivative,
  reads: 'output',
});

const hardSigmoidDerivative = /* @__PURE__ */ defineDerivative({
  name: 'hardSigmoidDerivative',
  expression: 'select(0.0, a * 0.166666667, abs(b) < 3.0)',
  secondDerivative: null,
});

/**
 * x / 6 + 1/2, within [0, 1]. Gradient: 0 at ±3.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const hardSigmoid: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'hardSigmoid',
  expression: () => math.hardSigmoid('a'),
  gradient: hardSigmoidDerivative,
});

const hardSwishDerivative = /* @__PURE__ */ defineDerivative({
  name: 'hardSwishDerivative',
  expression: 'select(a * (b * 0.333333333 + 0.5), select(0.0, a, b > 0.0), abs(b) >= 3.0)',
  secondDerivative: (x) => mul(cast(less(abs(x), 3), 'float32'), 1 / 3),
});

/**
 * x · hardSigmoid(x). Source: A. Howard et al., Searching for MobileNetV3, 2019.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const hardSwish: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'hardSwish',
  expression: () => `select(a * ${math.hardSigmoid('a')}, 0.0, a <= -3.0)`,
  gradient: hardSwishDerivative,
});
