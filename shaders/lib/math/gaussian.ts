/**
 * @file The error function and the normal distribution. Polynomials are minimax fits (Remez) of the relative error.
 */
import { defineMath, type MathFunction } from './define.ts';
import { nearLog1p, preciseExp, reduceExponential } from './exponential.ts';
import { isNan, powerOfWhole, withSign } from './bits.ts';

// erf x / x as a function of z = x² ≤ 1.
const erfSeries: MathFunction = /* @__PURE__ */ defineMath(
  'erf_series',
  [],
  /* wgsl */ `
fn erf_series(z: f32) -> f32 {
  let upper = -0.0268538119 + z * (0.00518832767 + z * (-8.01019353e-4 + z * 7.85386109e-5));
  return 1.12837917 + z * (-0.376126258 + z * (0.112835852 + z * upper));
}`,
);

// erfc x / e^(-x²) for x ≥ 1: a polynomial of 1 / (1 + 0.4 x).
const scaledErfc: MathFunction = /* @__PURE__ */ defineMath(
  'scaled_erfc',
  [],
  /* wgsl */ `
fn scaled_erfc(x: f32) -> f32 {
  let t = 1.0 / (1.0 + 0.4 * x);
  let upper = 0.178080787 + t * (-0.0771822993 + t * (0.251612944 + t * (-0.234563636 + t * 0.0637818232)));
  return t * (0.225683818 + t * (0.225472112 + t * (0.20988005 + t * (0.157253346 + t * upper))));
}`,
);

// erfc x for x ≥ 1.
const erfcTail: MathFunction = /* @__PURE__ */ defineMath(
  'erfc_tail',
  [preciseExp, scaledErfc],
  /* wgsl */ `
fn erfc_tail(x: f32) -> f32 {
  return precise_exp(-x * x) * scaled_erfc(x);
}`,
);

// From 4 on, the result rounds to 1.
export const erf: MathFunction = /* @__PURE__ */ defineMath(
  'erf',
  [withSign, reduceExponential, powerOfWhole, scaledErfc, erfSeries, isNan],
  /* wgsl */ `
fn erf(x: f32) -> f32 {
  let a = abs(x);
  let within = select(select(a, 1.0, a < 1.0), 4.0, a > 4.0);
  let e = reduce_exponential(-within * within);
  let tail = (1.0 + e.rest) * power_of_whole(e.n) * scaled_erfc(within);
  let far = with_sign(1.0 - tail, x);
  return select(select(far, x * erf_series(x * x), a < 1.0), x, is_nan(x));
}`,
);

export const normalDensity: MathFunction = /* @__PURE__ */ defineMath(
  'normal_density',
  [preciseExp],
  /* wgsl */ `
fn normal_density(x: f32) -> f32 {
  return 0.398942280 * precise_exp(-0.5 * x * x);
}`,
);

// The lower tail keeps its relative accuracy.
export const normalDistribution: MathFunction = /* @__PURE__ */ defineMath(
  'normal_distribution',
  [erfcTail, erfSeries, isNan],
  /* wgsl */ `
fn normal_distribution(x: f32) -> f32 {
  let s = x * 0.707106781;
  let a = abs(s);
  let tail = 0.5 * erfc_tail(select(a, 1.0, a < 1.0));
  let far = select(tail, 1.0 - tail, x > 0.0);
  return select(select(far, 0.5 + 0.5 * s * erf_series(s * s), a < 1.0), x, is_nan(x));
}`,
);

// The inverse of the standard normal distribution cut off at ±2: v in (-1, 1) to (-2, 2), odd. With c = erf √2 it is
// √2 erf⁻¹(c v), here v times a polynomial of w = -log(1 - c² v²), the variable of M. Giles, Approximating the erfinv
// function, 2010.
export const truncatedNormalQuantile: MathFunction = /* @__PURE__ */ defineMath(
  'truncated_normal_quantile',
  [nearLog1p],
  /* wgsl */ `
fn truncated_normal_quantile(v: f32) -> f32 {
  let w = -near_log1p(-0.911069758 * v * v);
  let upper = -0.00312803451 + w * (-2.05702960e-4 + w * (8.6529191e-5 - w * 6.06833237e-6));
  return v * (1.19628799 + w * (0.31318858 + w * (0.0155816195 + w * upper)));
}`,
);
