/**
 * @file The error function and the normal distribution. Polynomials are minimax fits (Remez) of the relative error.
 */
import { defineMath, type MathFunction } from './define.ts';
import { nearLog1p, reduceExponential } from './exponential.ts';
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

// From 1 on, 1 - p^-8, where the polynomial p is fitted to the eighth root of 1 / erfc, after Abramowitz and Stegun 7.1.28;
// from 4 on, the result rounds to 1.
export const erf: MathFunction = /* @__PURE__ */ defineMath(
  'erf',
  [withSign, erfSeries, isNan],
  /* wgsl */ `
fn erf(x: f32) -> f32 {
  let a = abs(x);
  let within = select(a, 4.0, a > 4.0);
  let upper = -0.0337025225 + within * (0.0179992858 + within * (-0.00405222178 + within * 5.47898351e-4));
  let root = 0.996377945 + within * (0.159718797 + within * (0.0484198853 + within * (0.0748030245 + within * upper)));
  let square = root * root;
  let fourth = square * square;
  let far = with_sign(1.0 - 1.0 / (fourth * fourth), x);
  return select(select(far, x * erf_series(x * x), a < 1.0), x, is_nan(x));
}`,
);

// e^(-x²/2) / √2π; 0 where that isn't a normal number.
export const normalDensity: MathFunction = /* @__PURE__ */ defineMath(
  'normal_density',
  [reduceExponential, powerOfWhole],
  /* wgsl */ `
fn normal_density(x: f32) -> f32 {
  let exponent = -0.5 * x * x;
  let e = reduce_exponential(select(exponent, -88.0, exponent < -88.0));
  return 0.398942280 * ((1.0 + e.rest) * power_of_whole(e.n));
}`,
);

// Mills' ratio, the upper tail of the normal distribution divided by its density, for x ≥ 0: a polynomial of 1 / (1 + 0.2645 x).
const millsRatio: MathFunction = /* @__PURE__ */ defineMath(
  'mills_ratio',
  [],
  /* wgsl */ `
fn mills_ratio(x: f32) -> f32 {
  let t = 1.0 / (1.0 + 0.2645 * x);
  let upper = 0.355718134 + t * (-0.306608856 + t * (0.560281932 + t * (-0.366771162 + t * 0.0778454691)));
  return t * (0.264561415 + t * (0.263194829 + t * (0.257950753 + t * (0.147141606 + t * upper))));
}`,
);

// From x and its density, which the caller may need as well. The lower tail keeps its relative accuracy.
export const normalDistribution: MathFunction = /* @__PURE__ */ defineMath(
  'normal_distribution',
  [millsRatio, isNan],
  /* wgsl */ `
fn normal_distribution(x: f32, density: f32) -> f32 {
  let tail = density * mills_ratio(abs(x));
  return select(select(tail, 1.0 - tail, x > 0.0), x, is_nan(x));
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
