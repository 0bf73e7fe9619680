/** @file Floor division and its remainder, as in Python: the remainder has the divisor's sign. */
import { finite, isInfinite, isNan, nanValue, powerOfTwo, withSign } from './bits.ts';
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

// |x| divided by |y|, for finite x and finite y ≠ 0: the exact rest, and the integer quotient, rounded to float32. Long division
// of the mantissas, seven bits per step. A float quotient is off by one if it rounds to an integer, useless from 2^24 on, and
// WGSL allows it 2.5 units in the last place.
const exactDivision: MathFunction = /* @__PURE__ */ defineMath(
  'exact_division',
  [powerOfTwo],
  /* wgsl */ `
struct ExactDivision {
  quotient: f32,
  rest: f32,
}

fn exact_division(x: f32, y: f32) -> ExactDivision {
  let x_bits = bitcast<u32>(x) & 0x7fffffffu;
  let y_bits = bitcast<u32>(y) & 0x7fffffffu;
  if (x_bits < y_bits) {
    return ExactDivision(0.0, abs(x));
  }
  let x_exponent = max(x_bits >> 23u, 1u);
  let y_exponent = max(y_bits >> 23u, 1u);
  let dividend = (x_bits & 0x007fffffu) | select(0u, 0x00800000u, x_bits >= 0x00800000u);
  let divisor = (y_bits & 0x007fffffu) | select(0u, 0x00800000u, y_bits >= 0x00800000u);
  var quotient = dividend / divisor;
  var rest = dividend % divisor;
  // Bits of the quotient below the 26 or more that are kept; whether any is set decides how those are rounded.
  var dropped = 0u;
  for (var gap = x_exponent - y_exponent; gap > 0u;) {
    let step = min(gap, 7u);
    let digits = (rest << step) / divisor;
    rest = (rest << step) % divisor;
    if (quotient < 0x02000000u) {
      quotient = (quotient << step) | digits;
    } else {
      dropped += step;
      quotient |= u32(digits > 0u);
    }
    gap -= step;
  }
  // rest · 2^(y_exponent - 150) and quotient · 2^dropped, in two factors that are in range.
  let exponent = i32(y_exponent) - 150;
  let lost = i32(dropped);
  return ExactDivision(
    f32(quotient) * power_of_two(lost / 2) * power_of_two(lost - lost / 2),
    f32(rest) * power_of_two(exponent / 2) * power_of_two(exponent - exponent / 2),
  );
}`,
);

// The quotient x / y, and from it the nearest integer n and the exact rest x - n y, unless is_rare_division. The products with
// both parts of y have at most 24 bits, and so do the differences. A quotient above 256 takes two steps.
const nearDivision: MathFunction = /* @__PURE__ */ defineMath(
  'near_division',
  [],
  /* wgsl */ `
struct NearDivision {
  quotient: f32,
  n: f32,
  rest: f32,
}

fn near_division(x: f32, y: f32) -> NearDivision {
  let upper = bitcast<f32>(bitcast<u32>(y) & 0xfffff000u);
  let lower = y - upper;
  let quotient = x / y;
  let coarse = select(0.0, 256.0 * floor(0.00390625 * quotient + 0.5), abs(quotient) >= 256.0);
  let rest = (x - coarse * upper) - coarse * lower;
  let fine = floor(rest / y + 0.5);
  return NearDivision(quotient, coarse + fine, (rest - fine * upper) - fine * lower);
}`,
);

// Whether near_division isn't correct for x and y: |x / y| is 2^19 or more, x is subnormal, |y| isn't within 2^-100 and 2^100, or
// either is NaN or infinite.
const isRareDivision: MathFunction = /* @__PURE__ */ defineMath(
  'is_rare_division',
  [],
  /* wgsl */ `
fn is_rare_division(x: f32, y: f32) -> bool {
  let divisor = bitcast<i32>(y) & 0x7fffffff;
  let quotient = bitcast<i32>(x / y) & 0x7fffffff;
  let is_subnormal = (bitcast<u32>(x) & 0x7fffffffu) - 1u < 0x007fffffu;
  return (quotient >= 0x49000000) | (divisor < 0x0d800000) | (divisor > 0x71800000) | is_subnormal;
}`,
);

const nearFloorMod: MathFunction = /* @__PURE__ */ defineMath(
  'near_floor_mod',
  [nearDivision],
  /* wgsl */ `
fn near_floor_mod(x: f32, y: f32) -> f32 {
  let rest = near_division(x, y).rest;
  let has_other_sign = (bitcast<i32>(rest) ^ bitcast<i32>(y)) < 0;
  // A rest of 0 has the sign of x.
  let zero = bitcast<f32>(bitcast<u32>(x) & 0x80000000u);
  return select(select(rest, rest + y, has_other_sign), zero, rest == 0.0);
}`,
);

const nearFloorDiv: MathFunction = /* @__PURE__ */ defineMath(
  'near_floor_div',
  [nearDivision, withSign],
  /* wgsl */ `
fn near_floor_div(x: f32, y: f32) -> f32 {
  let division = near_division(x, y);
  let is_above = ((bitcast<i32>(division.rest) ^ bitcast<i32>(y)) < 0) & (division.rest != 0.0);
  return with_sign(select(division.n, division.n - 1.0, is_above), division.quotient);
}`,
);

export const floorMod: MathFunction = /* @__PURE__ */ defineMath(
  'floor_mod',
  [finite, isNan, nanValue, isInfinite, exactDivision],
  /* wgsl */ `
fn floor_mod(x: f32, y: f32) -> f32 {
  if (!is_finite(x) || is_nan(y) || y == 0.0) {
    return nan_value();
  }
  if (is_infinite(y)) {
    return select(y, x, x == 0.0 || (x < 0.0) == (y < 0.0));
  }
  let rest = exact_division(x, y).rest;
  // A rest of 0 has the sign of x, also of -0.
  let signed = select(rest, -rest, bitcast<i32>(x) < 0);
  return select(signed, signed + y, rest != 0.0 && (x < 0.0) != (y < 0.0));
}`,
  { compute: nearFloorMod, isRare: isRareDivision },
);

// WGSL defines no quotient of an infinity: it has the product of the signs here.
export const floorDiv: MathFunction = /* @__PURE__ */ defineMath(
  'floor_div',
  [finite, isInfinite, exactDivision],
  /* wgsl */ `
fn floor_div(x: f32, y: f32) -> f32 {
  let sign = (bitcast<u32>(x) ^ bitcast<u32>(y)) & 0x80000000u;
  if (is_infinite(x) && is_finite(y)) {
    return bitcast<f32>(sign | 0x7f800000u);
  }
  if (!is_finite(x) || !is_finite(y) || y == 0.0) {
    return floor(x / y);
  }
  let division = exact_division(x, y);
  let is_above = sign != 0u && division.rest != 0.0;
  return select(division.quotient, -(division.quotient + f32(is_above)), sign != 0u);
}`,
  { compute: nearFloorDiv, isRare: isRareDivision },
);
