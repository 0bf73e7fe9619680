/**
 * @file Activation functions and their derivatives, for the elementwise ops and for kernels that fuse an activation.
 */
import { defineMath, type MathFunction } from './define.ts';
import { bounded, powerOfWhole, smaller } from './bits.ts';
import { expm1, preciseExp, reduceExponential, sigmoid } from './exponential.ts';
import { normalDensity, normalDistribution } from './gaussian.ts';

// Clears values between -0 and -∞ in the order of the bits, and so keeps NaN.
export const relu: MathFunction = /* @__PURE__ */ defineMath(
  'relu',
  [],
  /* wgsl */ `
fn relu(x: f32) -> f32 {
  return select(x, 0.0, bitcast<u32>(x) - 0x80000000u <= 0x7f800000u);
}`,
);

export const relu6: MathFunction = /* @__PURE__ */ defineMath(
  'relu6',
  [smaller, relu],
  /* wgsl */ `
fn relu6(x: f32) -> f32 {
  return smaller(relu(x), 6.0);
}`,
);

export const hardSigmoid: MathFunction = /* @__PURE__ */ defineMath(
  'hard_sigmoid',
  [relu6],
  /* wgsl */ `
fn hard_sigmoid(x: f32) -> f32 {
  return relu6(x + 3.0) * 0.166666667;
}`,
);

export const elu: MathFunction = /* @__PURE__ */ defineMath(
  'elu',
  [expm1],
  /* wgsl */ `
fn elu(x: f32, alpha: f32) -> f32 {
  return select(x, alpha * expm1(x), x <= 0.0);
}`,
);

// Constants of G. Klambauer et al., Self-normalizing neural networks, 2017.
export const selu: MathFunction = /* @__PURE__ */ defineMath(
  'selu',
  [elu],
  /* wgsl */ `
fn selu(x: f32) -> f32 {
  return 1.05070099 * elu(x, 1.67326324);
}`,
);

// D. Hendrycks and K. Gimpel, Gaussian error linear units, 2016.
export const gelu: MathFunction = /* @__PURE__ */ defineMath(
  'gelu',
  [normalDistribution, normalDensity],
  /* wgsl */ `
fn gelu(x: f32) -> f32 {
  return x * normal_distribution(x, normal_density(x));
}`,
);

export const geluDerivative: MathFunction = /* @__PURE__ */ defineMath(
  'gelu_derivative',
  [bounded, normalDistribution, normalDensity],
  /* wgsl */ `
fn gelu_derivative(x: f32) -> f32 {
  let near = bounded(x, 40.0);
  let density = normal_density(near);
  return normal_distribution(near, density) + near * density;
}`,
);

// ½ (1 + tanh u) = sigmoid 2u, which keeps the relative accuracy of the lower tail.
export const geluTanh: MathFunction = /* @__PURE__ */ defineMath(
  'gelu_tanh',
  [sigmoid],
  /* wgsl */ `
fn gelu_tanh(x: f32) -> f32 {
  return x * sigmoid(1.59576912 * (x + 0.044715 * x * x * x));
}`,
);

export const geluTanhDerivative: MathFunction = /* @__PURE__ */ defineMath(
  'gelu_tanh_derivative',
  [bounded, sigmoid],
  /* wgsl */ `
fn gelu_tanh_derivative(x: f32) -> f32 {
  let near = bounded(x, 40.0);
  let s = sigmoid(1.59576912 * (near + 0.044715 * near * near * near));
  return s + near * s * (1.0 - s) * 1.59576912 * (1.0 + 0.134145 * near * near);
}`,
);

// s(x) (1 + x s(-x)) with the sigmoid s, both of whose values follow from one exponential, without loss in the tails.
export const siluDerivative: MathFunction = /* @__PURE__ */ defineMath(
  'silu_derivative',
  [bounded, reduceExponential, powerOfWhole],
  /* wgsl */ `
fn silu_derivative(x: f32) -> f32 {
  let near = bounded(x, 200.0);
  let a = abs(near);
  let e = reduce_exponential(select(-a, -88.0, a > 88.0));
  let exponential = (1.0 + e.rest) * power_of_whole(e.n);
  let upper = 1.0 / (1.0 + exponential);
  let lower = exponential * upper;
  let is_positive = near > 0.0;
  return select(lower, upper, is_positive) * (1.0 + near * select(upper, lower, is_positive));
}`,
);

// tanh(log(1 + e^x)) without the logarithm: n / (n + 2) with n = e^x (e^x + 2). D. Misra, Mish, 2019.
export const mishGate: MathFunction = /* @__PURE__ */ defineMath(
  'mish_gate',
  [preciseExp],
  /* wgsl */ `
fn mish_gate(x: f32) -> f32 {
  let e = precise_exp(select(x, 20.0, x > 20.0));
  let n = e * (e + 2.0);
  return n / (n + 2.0);
}`,
);

export const mishDerivative: MathFunction = /* @__PURE__ */ defineMath(
  'mish_derivative',
  [bounded, mishGate, sigmoid],
  /* wgsl */ `
fn mish_derivative(x: f32) -> f32 {
  let near = bounded(x, 200.0);
  let gate = mish_gate(near);
  return gate + near * sigmoid(near) * (1.0 - gate * gate);
}`,
);
