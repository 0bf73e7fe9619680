/** @file Floor division and its remainder, as in Python: the remainder has the divisor's sign. */
import { finite, isInfinite, isNan, nanValue, powerOfTwo } from './bits.ts';
import { defineMath, type MathFunction } from './define.ts';

// A divisor of 0 gives 0, as in NumPy. It is replaced before the division, which is undefined on some drivers.
export const floorDivI32: MathFunction = /* @__PURE__ */ defineMath(
  'floor_div_i32',
  [],
  /* wgsl */ `
fn floor_div_i32(x: i32, y: i32) -> i32 {
  let divisor = select(y, 1, y == 0);
  let quotient = x / divisor;
  let rest = x - quotient * divisor;
  let floored = quotient - select(0, 1, rest != 0 && (rest < 0) != (divisor < 0));
  return select(floored, 0, y == 0);
}`,
);

export const floorModI32: MathFunction = /* @__PURE__ */ defineMath(
  'floor_mod_i32',
  [floorDivI32],
  /* wgsl */ `
fn floor_mod_i32(x: i32, y: i32) -> i32 {
  return select(x - floor_div_i32(x, y) * y, 0, y == 0);
}`,
);

export const floorDivU32: MathFunction = /* @__PURE__ */ defineMath(
  'floor_div_u32',
  [],
  /* wgsl */ `
fn floor_div_u32(x: u32, y: u32) -> u32 {
  return select(x / max(y, 1u), 0u, y == 0u);
}`,
);

export const floorModU32: MathFunction = /* @__PURE__ */ defineMath(
  'floor_mod_u32',
  [],
  /* wgsl */ `
fn floor_mod_u32(x: u32, y: u32) -> u32 {
  return select(x % max(y, 1u), 0u, y == 0u);
}`,
);

// |x| mod |y|, exactly, for finite x and finite y ≠ 0: long division of the mantissas, eight bits per step. A float quotient
// is off by one if it rounds to an integer, and useless from 2^24 on.
export const exactRemainder: MathFunction = /* @__PURE__ */ defineMath(
  'exact_remainder',
  [powerOfTwo],
  /* wgsl */ `
fn exact_remainder(x: f32, y: f32) -> f32 {
  let x_bits = bitcast<u32>(x) & 0x7fffffffu;
  let y_bits = bitcast<u32>(y) & 0x7fffffffu;
  if (x_bits < y_bits) {
    return abs(x);
  }
  let x_exponent = max(x_bits >> 23u, 1u);
  let y_exponent = max(y_bits >> 23u, 1u);
  let divisor = (y_bits & 0x007fffffu) | select(0u, 0x00800000u, y_bits >= 0x00800000u);
  var rest = ((x_bits & 0x007fffffu) | select(0u, 0x00800000u, x_bits >= 0x00800000u)) % divisor;
  for (var gap = x_exponent - y_exponent; gap > 0u && rest > 0u;) {
    let step = min(gap, 8u);
    rest = (rest << step) % divisor;
    gap -= step;
  }
  // rest · 2^(y_exponent - 150), in two factors that are in range.
  let exponent = i32(y_exponent) - 150;
  return f32(rest) * power_of_two(exponent / 2) * power_of_two(exponent - exponent / 2);
}`,
);

export const floorMod: MathFunction = /* @__PURE__ */ defineMath(
  'floor_mod',
  [finite, isNan, nanValue, isInfinite, exactRemainder],
  /* wgsl */ `
fn floor_mod(x: f32, y: f32) -> f32 {
  if (!is_finite(x) || is_nan(y) || y == 0.0) {
    return nan_value();
  }
  if (is_infinite(y)) {
    return select(y, x, x == 0.0 || (x < 0.0) == (y < 0.0));
  }
  let rest = exact_remainder(x, y);
  let signed = select(rest, -rest, x < 0.0);
  return select(signed, signed + y, rest != 0.0 && (x < 0.0) != (y < 0.0));
}`,
);

// By the exact modulus, so that a quotient just below an integer isn't rounded up to it.
export const floorDiv: MathFunction = /* @__PURE__ */ defineMath(
  'floor_div',
  [finite, floorMod],
  /* wgsl */ `
fn floor_div(x: f32, y: f32) -> f32 {
  let quotient = x / y;
  if (!is_finite(x) || !is_finite(y) || y == 0.0) {
    return floor(quotient);
  }
  return round((x - floor_mod(x, y)) / y);
}`,
);
