/** @file Smooth activations: sigmoid, logSigmoid, softplus, softsign, silu, mish, gelu, and erf, on which gelu is based. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import * as math from '../../kernels/elementwise/math.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, div, mul, neg, sub } from '../elementwise/arithmetic.ts';
import { defineUnary, type FloatOp } from '../elementwise/elementwise.ts';
import { tanh } from '../elementwise/hyperbolic.ts';
import { abs, sign } from '../elementwise/rounding.ts';
import { type Derivative, defineDerivative } from '../elementwise/derivative.ts';
import { exp, square } from '../elementwise/unary.ts';

/** dy · sigmoid'(x), from y = sigmoid(x). */
export const sigmoidDerivative: Derivative<object> = /* @__PURE__ */ defineDerivative({
  name: 'sigmoidDerivative',
  expression: 'a * b * (1.0 - b)',
  secondDerivative: (y) => sub(1, mul(y, 2)),
});

/**
 * 1 / (1 + e^-x).
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const sigmoid: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'sigmoid',
  expression: () => math.sigmoid('a'),
  gradient: sigmoidDerivative,
  reads: 'output',
});

const softplusDerivative = /* @__PURE__ */ defineDerivative({
  name: 'softplusDerivative',
  // sigmoid(x) = 1 - e^-y.
  expression: () => `-a * ${math.expm1('-b')}`,
  secondDerivative: (y) => exp(neg(y)),
});

/**
 * log(1 + e^x).
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const softplus: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'softplus',
  expression: () => math.softplus('a'),
  gradient: softplusDerivative,
  reads: 'output',
});

const logSigmoidDerivative = /* @__PURE__ */ defineDerivative({
  name: 'logSigmoidDerivative',
  // sigmoid(-x) = 1 - e^y.
  expression: () => `-a * ${math.expm1('b')}`,
  secondDerivative: (y) => neg(exp(y)),
});

/**
 * log(sigmoid(x)) = -log(1 + e^-x).
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const logSigmoid: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'logSigmoid',
  expression: () => `-${math.softplus('-a')}`,
  gradient: logSigmoidDerivative,
  reads: 'output',
});

const softsignDerivative = /* @__PURE__ */ defineDerivative({
  name: 'softsignDerivative',
  expression: 'a / ((1.0 + abs(b)) * (1.0 + abs(b)))',
  secondDerivative: (x) => {
    const width = add(abs(x), 1);
    return div(mul(sign(x), -2), mul(square(width), width));
  },
});

/**
 * x / (1 + |x|).
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const softsign: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'softsign',
  expression: 'a / (1.0 + abs(a))',
  gradient: softsignDerivative,
});

export const siluDerivative: Derivative<object> = /* @__PURE__ */ defineDerivative({
  name: 'siluDerivative',
  expression: () => `a * ${math.siluDerivative('b')}`,
  secondDerivative: (x) => {
    const s = sigmoid(x);
    return mul(mul(s, sub(1, s)), add(mul(x, sub(1, mul(s, 2))), 2));
  },
});

/**
 * x · sigmoid(x), also called swish. Source: S. Elfwing et al., Sigmoid-weighted linear units, 2017.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const silu: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'silu',
  expression: () => `a * ${math.sigmoid('a')}`,
  gradient: siluDerivative,
});

const mishDerivative = /* @__PURE__ */ defineDerivative({
  name: 'mishDerivative',
  expression: () => `a * ${math.mishDerivative('b')}`,
  secondDerivative: (x) => {
    const s = sigmoid(x);
    const gate = tanh(softplus(x));
    const inner = add(mul(x, sub(sub(1, s), mul(mul(gate, s), 2))), 2);
    return mul(mul(s, sub(1, square(gate))), inner);
  },
});

/**
 * x · tanh(softplus(x)). Source: D. Misra, Mish: a self regularized non-monotonic activation function, 2019.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const mish: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'mish',
  expression: () => `a * ${math.mishGate('a')}`,
  gradient: mishDerivative,
});

const erfDerivative = /* @__PURE__ */ defineDerivative({
  name: 'erfDerivative',
  expression: () => `a * 1.12837917 * ${math.preciseExp('-b * b')}`,
  secondDerivative: (x) => mul(mul(x, -4 / Math.sqrt(Math.PI)), exp(neg(square(x)))),
});

/**
 * The error function, 2/√π ∫₀ˣ e^(-t²) dt.
 * Shape: that of x. Dtype: float32. Errors: DTypeError for other dtypes.
 */
export const erf: FloatOp = /* @__PURE__ */ defineUnary({
  name: 'erf',
  expression: () => math.erf('a'),
  gradient: erfDerivative,
});

export interface GeluOptions {
  /** True for the tanh approximation, ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))). Default false: x · Φ(x). */
  approximate?: boolean;
}

/** (2 - x²) φ(x), with φ the normal density. */
function exactSecondDerivative(x: Tensor): Tensor {
  const squared = square(x);
  return mul(mul(exp(mul(squared, -0.5)), 1 / Math.sqrt(2 * Math.PI)), sub(2, squared));
}

/** With u = √(2/π) (x + 0.044715 x³) and t = tanh u: (1 - t²) (u' + ½ x u″ - x t u'²). */
function tanhSecondDerivative(x: Tensor): Tensor {
  const scale = Math.sqrt(2 / Math.PI);
  const squared = square(x);
  const t = tanh(mul(mul(x, add(mul(squared, 0.044715), 1)), scale));
  const first = mul(add(mul(squared, 3 * 0.044715), 1), scale);
  const second = mul(x, 6 * 0.044715 * scale);
  const inner = sub(add(first, mul(mul(x, second), 0.5)), mul(mul(x, t), square(first)));
  return mul(sub(1, square(t)), inner);
}

export const geluDerivative: Derivative<GeluOptions> = /* @__PURE__ */ defineDerivative<GeluOptions>({
  name: 'geluDerivative',
  expression: ({ approximate }) =>
    approximate ? `a * ${math.geluTanhDerivative('b')}` : `a * ${math.geluDerivative('b')}`,
  secondDerivative: (x, { approximate }) =>
    approximate ? tanhSecondDerivative(x) : exactSecondDerivative(x),
});

/**
 * x · Φ(x), with Φ the normal distribution function. Errors: ValueError for an `approximate` that isn't a boolean.
 * Source: D. Hendrycks and K. Gimpel, Gaussian error linear units, 2016.
 * Shape: that of x. Dtype: float32; DTypeError for others.
 */
export const gelu: FloatOp<GeluOptions, ['approximate']> = /* @__PURE__ */ defineUnary<
  GeluOptions,
  ['approximate']
>({
  name: 'gelu',
  options: { approximate: true },
  expression: (_, { approximate }) => (approximate ? math.geluTanh('a') : math.gelu('a')),
  check: ({ approximate = false }) => {
    if (typeof approximate === 'boolean') return;
    throw new ValueError({
      op: 'gelu',
      rule: '`approximate` must be true or false.',
      received: `approximate: ${describe(approximate)}`,
      hint: 'pass true for the tanh form.',
    });
  },
  gradient: geluDerivative,
});
