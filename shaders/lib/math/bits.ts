/**
 * @file Bit operations on floats. WGSL compilers may assume that NaN and infinity don't occur, so tests for them, and
 * choices that depend on them, are done with integers. Bits are moved by multiplications and conversions: a shift takes a
 * software adapter as long as a dozen of them, and the compilers of GPUs make shifts of multiplications by powers of two.
 */
import { defineMath, type MathFunction } from './define.ts';

// Compared as signed numbers, for which there are instructions on every CPU.
export const isNan: MathFunction = /* @__PURE__ */ defineMath(
  'is_nan',
  [],
  /* wgsl */ `
fn is_nan(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) > 0x7f800000;
}`,
);

export const isInfinite: MathFunction = /* @__PURE__ */ defineMath(
  'is_infinite',
  [],
  /* wgsl */ `
fn is_infinite(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u;
}`,
);

export const finite: MathFunction = /* @__PURE__ */ defineMath(
  'is_finite',
  [],
  /* wgsl */ `
fn is_finite(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) < 0x7f800000;
}`,
);

// Through a variable, since NaN and infinity are errors in constant expressions.
export const nanValue: MathFunction = /* @__PURE__ */ defineMath(
  'nan_value',
  [],
  /* wgsl */ `
fn nan_value() -> f32 {
  var bits = 0x7fc00000u;
  return bitcast<f32>(bits);
}`,
);

export const infinity: MathFunction = /* @__PURE__ */ defineMath(
  'infinity',
  [],
  /* wgsl */ `
fn infinity() -> f32 {
  var bits = 0x7f800000u;
  return bitcast<f32>(bits);
}`,
);

// An integer n, up to 2^22 in magnitude, in a form that compilers don't recognize: the bits of n + 1.5 · 2^23 contain the
// mask. Mesa's compilers factor out a common multiplier, even of fma: n a + n b becomes n (a + b), where b may be lost.
export const sameInteger: MathFunction = /* @__PURE__ */ defineMath(
  'same_integer',
  [],
  /* wgsl */ `
fn same_integer(n: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(n + 12582912.0) | 0x4b000000u) - 12582912.0;
}`,
);

// For n in [-126, 127].
export const powerOfTwo: MathFunction = /* @__PURE__ */ defineMath(
  'power_of_two',
  [],
  /* wgsl */ `
fn power_of_two(n: i32) -> f32 {
  return bitcast<f32>((n + 127) * 0x800000);
}`,
);

// For integers n in [-127, 127]; 0 for -127. Added to 1.5 · 2^23 + 127 they are the last bits of a float, which
// saves the checks of a conversion.
export const powerOfWhole: MathFunction = /* @__PURE__ */ defineMath(
  'power_of_whole',
  [],
  /* wgsl */ `
fn power_of_whole(n: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(n + 12583039.0) * 0x800000u);
}`,
);

export const withSign: MathFunction = /* @__PURE__ */ defineMath(
  'with_sign',
  [],
  /* wgsl */ `
fn with_sign(magnitude: f32, sign_of: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(magnitude) & 0x7fffffffu) | (bitcast<u32>(sign_of) & 0x80000000u));
}`,
);

// Within [-limit, limit]; NaN stays.
export const bounded: MathFunction = /* @__PURE__ */ defineMath(
  'bounded',
  [isNan],
  /* wgsl */ `
fn bounded(x: f32, limit: f32) -> f32 {
  return select(select(select(x, limit, x > limit), -limit, x < -limit), x, is_nan(x));
}`,
);

// WGSL's max and min may drop a NaN; these propagate it.
export const larger: MathFunction = /* @__PURE__ */ defineMath(
  'larger',
  [isNan],
  /* wgsl */ `
fn larger(x: f32, y: f32) -> f32 {
  return select(select(select(y, x, x > y), y, is_nan(y)), x, is_nan(x));
}`,
);

export const smaller: MathFunction = /* @__PURE__ */ defineMath(
  'smaller',
  [isNan],
  /* wgsl */ `
fn smaller(x: f32, y: f32) -> f32 {
  return select(select(select(y, x, x < y), y, is_nan(y)), x, is_nan(x));
}`,
);

// Whether neither is NaN, which is necessary for any comparison other than "not equal" to be true.
export const ordered: MathFunction = /* @__PURE__ */ defineMath(
  'ordered',
  [isNan],
  /* wgsl */ `
fn ordered(x: f32, y: f32) -> bool {
  return !is_nan(x) & !is_nan(y);
}`,
);

// Truncated towards zero and saturated; 0 for NaN. The largest float below 2^31 is 2^31 - 128.
export const saturatedI32: MathFunction = /* @__PURE__ */ defineMath(
  'saturated_i32',
  [isNan],
  /* wgsl */ `
fn saturated_i32(x: f32) -> i32 {
  let within = i32(clamp(x, -2147483648.0, 2147483520.0));
  return select(select(within, 2147483647, x >= 2147483648.0), 0, is_nan(x));
}`,
);

export const saturatedU32: MathFunction = /* @__PURE__ */ defineMath(
  'saturated_u32',
  [isNan],
  /* wgsl */ `
fn saturated_u32(x: f32) -> u32 {
  let within = u32(clamp(x, 0.0, 4294967040.0));
  return select(select(within, 4294967295u, x >= 4294967296.0), 0u, is_nan(x));
}`,
);

// The upper 32 bits of a product, from products of 16-bit parts.
export const multiplyHigh: MathFunction = /* @__PURE__ */ defineMath(
  'multiply_high',
  [],
  /* wgsl */ `
fn multiply_high(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let carry = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (middle >> 16u) + (carry >> 16u);
}`,
);
