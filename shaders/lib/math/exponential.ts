/**
 * @file Exponentials and logarithms, to about two units in the last place on every adapter.
 *
 * WGSL allows exp an error of 3 + 2|x| ulp, log an absolute error of 2^-21 near 1, and tanh one of 1e-5. Here e^x is reduced
 * to 2^n e^r with |r| ≤ ln(2)/2, log x to e ln 2 + log m with m in [√½, √2). Polynomials are minimax fits (Remez) of the
 * relative error on these intervals; ln 2 is split so that n times its upper part is exact (W. J. Cody and
 * W. Waite, Software Manual for the Elementary Functions, 1980).
 */
import { defineMath, type MathFunction } from './define.ts';
import { finite, infinity, isNan, nanValue, powerOfWhole, sameInteger, withSign } from './bits.ts';

// e^r - 1 for |r| ≤ ln(2)/2.
export const exponentialRest: MathFunction = /* @__PURE__ */ defineMath(
  'exponential_rest',
  [],
  /* wgsl */ `
fn exponential_rest(r: f32) -> f32 {
  let p = 0.49999998 + r * (0.16666544 + r * (0.0416672 + r * (0.00836652058 + r * 0.00138825218)));
  return r + r * r * p;
}`,
);

// e^r - 1 and the integer n of x = n ln 2 + r, for |x| below 110. On software adapters WGSL's round, clamp, min and
// max cost many instructions each; floor and select cost few.
export const reduceExponential: MathFunction = /* @__PURE__ */ defineMath(
  'reduce_exponential',
  [exponentialRest, sameInteger],
  /* wgsl */ `
struct ReducedExponential {
  n: f32,
  rest: f32,
}

fn reduce_exponential(x: f32) -> ReducedExponential {
  let n = floor(x * 1.44269504 + 0.5);
  // By fma, and with n in two forms: compilers may add up the two parts of ln 2 otherwise.
  let r = fma(same_integer(n), 2.1219444e-4, fma(n, -0.693359375, x));
  return ReducedExponential(n, exponential_rest(r));
}`,
);

export const preciseExp: MathFunction = /* @__PURE__ */ defineMath(
  'precise_exp',
  [reduceExponential, powerOfWhole, isNan],
  /* wgsl */ `
fn precise_exp(x: f32) -> f32 {
  let e = reduce_exponential(select(select(x, -105.0, x < -105.0), 89.0, x > 89.0));
  // In two steps: 2^n itself may be out of range where the result is not.
  let half = floor(0.5 * e.n);
  let y = (1.0 + e.rest) * power_of_whole(half) * power_of_whole(e.n - half);
  return select(y, x, is_nan(x));
}`,
);

export const expm1: MathFunction = /* @__PURE__ */ defineMath(
  'expm1',
  [reduceExponential, powerOfWhole, isNan],
  /* wgsl */ `
fn expm1(x: f32) -> f32 {
  let e = reduce_exponential(select(select(x, -20.0, x < -20.0), 89.0, x > 89.0));
  // Halved, since 2^128 is out of range.
  let half_scale = power_of_whole(e.n - 1.0);
  let y = 2.0 * (half_scale * e.rest + (half_scale - 0.5));
  return select(y, x, is_nan(x));
}`,
);

// log(1 + f) = 2 atanh s with s = f / (2 + f), for 1 + f in [√½, √2); written as f - s (f - rest), where the rounding
// of s hardly counts.
export const logNearOne: MathFunction = /* @__PURE__ */ defineMath(
  'log_near_one',
  [],
  /* wgsl */ `
fn log_near_one(f: f32) -> f32 {
  let s = f / (2.0 + f);
  let z = s * s;
  let rest = z * (0.66666776 + z * (0.39977540 + z * 0.29871762));
  return f - s * (f - rest);
}`,
);

// x = 2^exponent mantissa with a mantissa in [√½, √2), from the bits of a normal positive x.
export const splitFloat: MathFunction = /* @__PURE__ */ defineMath(
  'split_float',
  [],
  /* wgsl */ `
struct SplitFloat {
  exponent: f32,
  mantissa: f32,
}

fn split_float(bits: u32) -> SplitFloat {
  let shifted = bits - 0x3f3504f3u;
  return SplitFloat(
    f32(bitcast<i32>(shifted & 0xff800000u)) * 1.1920929e-7,
    bitcast<f32>((shifted & 0x007fffffu) + 0x3f3504f3u),
  );
}`,
);

// log (2^n (1 + f)) for 1 + f in [√½, √2).
const joinedLog: MathFunction = /* @__PURE__ */ defineMath(
  'joined_log',
  [logNearOne],
  /* wgsl */ `
fn joined_log(n: f32, f: f32) -> f32 {
  return fma(n, 0.693359375, fma(n, -2.1219444e-4, log_near_one(f)));
}`,
);

// log x for normal positive x.
export const nearLog: MathFunction = /* @__PURE__ */ defineMath(
  'near_log',
  [splitFloat, joinedLog],
  /* wgsl */ `
fn near_log(x: f32) -> f32 {
  let parts = split_float(bitcast<u32>(x));
  return joined_log(parts.exponent, parts.mantissa - 1.0);
}`,
);

// Whether near_log isn't correct for x.
const isRareLog: MathFunction = /* @__PURE__ */ defineMath(
  'is_rare_log',
  [],
  /* wgsl */ `
fn is_rare_log(x: f32) -> bool {
  let bits = bitcast<i32>(x);
  return (bits < 0x00800000) | (bits >= 0x7f800000);
}`,
);

export const preciseLog: MathFunction = /* @__PURE__ */ defineMath(
  'precise_log',
  [splitFloat, joinedLog, infinity, nanValue],
  /* wgsl */ `
fn precise_log(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  // A subnormal number is an integer times 2^-149.
  let subnormal = bits < 0x00800000u;
  let parts = split_float(select(bits, bitcast<u32>(f32(bits)), subnormal));
  let y = joined_log(parts.exponent - select(0.0, 149.0, subnormal), parts.mantissa - 1.0);
  // Negative numbers, infinity and NaN.
  let defined = select(y, select(x, nan_value(), x < 0.0), bits >= 0x7f800000u);
  return select(defined, -infinity(), (bits & 0x7fffffffu) == 0u);
}`,
  { compute: nearLog, isRare: isRareLog },
);

// log(1 + x) for finite x > -1. Near 0, x itself is more accurate than the mantissa of 1 + x.
export const nearLog1p: MathFunction = /* @__PURE__ */ defineMath(
  'near_log1p',
  [splitFloat, joinedLog],
  /* wgsl */ `
fn near_log1p(x: f32) -> f32 {
  let parts = split_float(bitcast<u32>(1.0 + x));
  return joined_log(parts.exponent, select(parts.mantissa - 1.0, x, parts.exponent == 0.0));
}`,
);

export const log1p: MathFunction = /* @__PURE__ */ defineMath(
  'log1p',
  [nearLog1p, infinity, nanValue, finite],
  /* wgsl */ `
fn log1p(x: f32) -> f32 {
  let y = select(near_log1p(x), -infinity(), x == -1.0);
  return select(select(x, y, is_finite(x)), nan_value(), x < -1.0);
}`,
);

export const softplus: MathFunction = /* @__PURE__ */ defineMath(
  'softplus',
  [nearLog1p, preciseExp, isNan],
  /* wgsl */ `
fn softplus(x: f32) -> f32 {
  let y = select(0.0, x, x > 0.0) + near_log1p(precise_exp(-abs(x)));
  return select(y, x, is_nan(x));
}`,
);

// 1 / (1 + e^-x), numerator and denominator times 2^-24: so e^-x is in range for all x whose result is.
export const sigmoid: MathFunction = /* @__PURE__ */ defineMath(
  'sigmoid',
  [reduceExponential, powerOfWhole, isNan],
  /* wgsl */ `
fn sigmoid(x: f32) -> f32 {
  let e = reduce_exponential(select(select(-x, 104.5, x < -104.5), -20.0, x > 20.0));
  let scaled = (1.0 + e.rest) * power_of_whole(e.n - 24.0);
  return select(5.96046448e-8 / (5.96046448e-8 + scaled), x, is_nan(x));
}`,
);

// m / (m + 2) with m = e^2|x| - 1.
export const preciseTanh: MathFunction = /* @__PURE__ */ defineMath(
  'precise_tanh',
  [reduceExponential, powerOfWhole, withSign, isNan],
  /* wgsl */ `
fn precise_tanh(x: f32) -> f32 {
  let a = abs(x);
  let e = reduce_exponential(select(2.0 * a, 20.0, a > 10.0));
  let scale = power_of_whole(e.n);
  let m = scale * e.rest + (scale - 1.0);
  return select(with_sign(m / (m + 2.0), x), x, is_nan(x));
}`,
);

// (m + m / (m + 1)) / 2 with m = e^|x| - 1, from a quarter of m: it is in range wherever the result is.
export const preciseSinh: MathFunction = /* @__PURE__ */ defineMath(
  'precise_sinh',
  [reduceExponential, powerOfWhole, withSign, isNan],
  /* wgsl */ `
fn precise_sinh(x: f32) -> f32 {
  let a = abs(x);
  let e = reduce_exponential(select(a, 89.5, a > 89.5));
  let scale = power_of_whole(e.n - 2.0);
  let quarter = scale * e.rest + (scale - 0.25);
  // m / (m + 1), which is 1 for large m.
  let small = select(quarter, 1.0e8, quarter > 1.0e8);
  let y = 2.0 * (quarter + small / (4.0 * small + 1.0));
  return select(with_sign(y, x), x, is_nan(x));
}`,
);

// (E + 1/E) / 2 with E = e^|x|, from a quarter of E.
export const preciseCosh: MathFunction = /* @__PURE__ */ defineMath(
  'precise_cosh',
  [reduceExponential, powerOfWhole, isNan],
  /* wgsl */ `
fn precise_cosh(x: f32) -> f32 {
  let a = abs(x);
  let e = reduce_exponential(select(a, 89.5, a > 89.5));
  let quarter = (1.0 + e.rest) * power_of_whole(e.n - 2.0);
  return select(2.0 * (quarter + 0.0625 / quarter), x, is_nan(x));
}`,
);

export const preciseAsinh: MathFunction = /* @__PURE__ */ defineMath(
  'precise_asinh',
  [nearLog1p, withSign, finite],
  /* wgsl */ `
fn precise_asinh(x: f32) -> f32 {
  let a = abs(x);
  let is_far = a > 1.0e8;
  let y = near_log1p(select(a + a * a / (1.0 + sqrt(1.0 + a * a)), a, is_far));
  return select(x, with_sign(y + select(0.0, 0.69314718, is_far), x), is_finite(x));
}`,
);

export const preciseAcosh: MathFunction = /* @__PURE__ */ defineMath(
  'precise_acosh',
  [nearLog1p, nanValue, finite],
  /* wgsl */ `
fn precise_acosh(x: f32) -> f32 {
  let t = x - 1.0;
  let is_far = x > 1.0e8;
  let y = near_log1p(select(t + sqrt(t * (t + 2.0)), x, is_far)) + select(0.0, 0.69314718, is_far);
  return select(select(x, y, is_finite(x)), nan_value(), x < 1.0);
}`,
);

export const preciseAtanh: MathFunction = /* @__PURE__ */ defineMath(
  'precise_atanh',
  [nearLog1p, infinity, withSign, nanValue, isNan],
  /* wgsl */ `
fn precise_atanh(x: f32) -> f32 {
  let a = abs(x);
  let y = select(0.5 * near_log1p(2.0 * a / (1.0 - a)), infinity(), a == 1.0);
  return select(select(with_sign(y, x), nan_value(), a > 1.0), x, is_nan(x));
}`,
);
