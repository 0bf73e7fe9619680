/** @file Powers. */
import { defineMath, type MathFunction } from './define.ts';
import { exponentialRest, logNearOne, reduceExponential, splitFloat } from './exponential.ts';
import { infinity, finite, isInfinite, isNan, nanValue, powerOfTwo, powerOfWhole } from './bits.ts';

export const squareOf: MathFunction = /* @__PURE__ */ defineMath(
  'square_of',
  [],
  /* wgsl */ `
fn square_of(x: f32) -> f32 {
  return x * x;
}`,
);

// x^n for an integral n with |n| ≤ 64, by squaring: small powers of small integers are exact. Unrolled, since loops cost more
// than the multiplications.
const integralPower: MathFunction = /* @__PURE__ */ defineMath(
  'integral_power',
  [squareOf],
  /* wgsl */ `
fn integral_power(x: f32, n: i32) -> f32 {
  let bits = u32(abs(n));
  let x2 = square_of(x);
  let x4 = square_of(x2);
  let x8 = square_of(x4);
  let x16 = square_of(x8);
  let x32 = square_of(x16);
  var result = select(1.0, x, (bits & 1u) != 0u);
  result *= select(1.0, x2, (bits & 2u) != 0u);
  result *= select(1.0, x4, (bits & 4u) != 0u);
  result *= select(1.0, x8, (bits & 8u) != 0u);
  result *= select(1.0, x16, (bits & 16u) != 0u);
  result *= select(1.0, x32, (bits & 32u) != 0u);
  result *= select(1.0, square_of(x32), (bits & 64u) != 0u);
  return select(result, 1.0 / result, n < 0);
}`,
);

// x^y for finite x > 0 and finite y, as 2^(y (e + log2 m)) with x = 2^e m. The product y e is split so that its integral
// part costs no accuracy.
const positivePower: MathFunction = /* @__PURE__ */ defineMath(
  'positive_power',
  [splitFloat, logNearOne, reduceExponential, powerOfTwo],
  /* wgsl */ `
fn positive_power(x: f32, y: f32) -> f32 {
  let bits = bitcast<u32>(x);
  let subnormal = bits < 0x00800000u;
  let parts = split_float(select(bits, bitcast<u32>(f32(bits)), subnormal));
  let e = parts.exponent - select(0.0, 149.0, subnormal);
  let coarse = bitcast<f32>(bitcast<u32>(y) & 0xfffff000u);
  let log2_m = log_near_one(parts.mantissa - 1.0) * 1.44269504;
  let whole = round(clamp(coarse * e, -1000.0, 1000.0));
  // By fma: compilers may join the parts of y where products and sums are apart.
  let fine = fma(y - coarse, e, y * log2_m);
  let fraction = clamp(fma(coarse, e, -whole) + fine, -1000.0, 1000.0);
  let more = round(fraction);
  let power = reduce_exponential((fraction - more) * 0.693147181);
  let n = i32(clamp(whole + more, -152.0, 129.0));
  let scale = n + i32(power.n);
  let half = scale >> 1u;
  return (1.0 + power.rest) * power_of_two(half) * power_of_two(scale - half);
}`,
);

// The same for normal x and |y| below 2^20, in instructions that are cheap on software adapters.
const nearPower: MathFunction = /* @__PURE__ */ defineMath(
  'near_power',
  [splitFloat, logNearOne, exponentialRest, powerOfWhole],
  /* wgsl */ `
fn near_power(x: f32, y: f32) -> f32 {
  let parts = split_float(bitcast<u32>(x));
  let coarse = bitcast<f32>(bitcast<u32>(y) & 0xfffff000u);
  let log2_m = log_near_one(parts.mantissa - 1.0) * 1.44269504;
  let e = parts.exponent;
  let whole = floor(fma(coarse, e, 0.5));
  let fraction = fma(coarse, e, -whole) + fma(y - coarse, e, y * log2_m);
  let more = floor(fraction + 0.5);
  let rest = exponential_rest((fraction - more) * 0.693147181);
  let n = whole + more;
  let bounded_n = select(select(n, -152.0, n < -152.0), 129.0, n > 129.0);
  let half = floor(0.5 * bounded_n);
  return (1.0 + rest) * power_of_whole(half) * power_of_whole(bounded_n - half);
}`,
);

// Whether near_power doesn't hold for x^y: x isn't positive and normal, |y| is at least 2^20, or y is whole and so small that
// the power is a product of factors.
const isRarePower: MathFunction = /* @__PURE__ */ defineMath(
  'is_rare_power',
  [],
  /* wgsl */ `
fn is_rare_power(x: f32, y: f32) -> bool {
  let bits = bitcast<i32>(x);
  let size = bitcast<i32>(y) & 0x7fffffff;
  // Without short circuits, each of which is a branch.
  let is_factors = (floor(y) == y) & (size <= 0x42800000);
  return (bits < 0x00800000) | (bits >= 0x7f800000) | (size >= 0x49800000) | is_factors;
}`,
);

// IEEE 754's pow: x^0 = 1^y = 1 even for NaN; a negative base only takes integral exponents. Without short circuits, each of
// which is a branch.
export const precisePow: MathFunction = /* @__PURE__ */ defineMath(
  'precise_pow',
  [isNan, nanValue, integralPower, isInfinite, infinity, positivePower, finite],
  /* wgsl */ `
fn precise_pow(x: f32, y: f32) -> f32 {
  let integral = floor(y) == y;
  var result: f32;
  if (integral & (abs(y) <= 64.0)) {
    result = integral_power(x, i32(y));
  } else {
    let a = abs(x);
    var magnitude: f32;
    if (is_infinite(y)) {
      magnitude = select(select(0.0, infinity(), (a > 1.0) == (y > 0.0)), 1.0, a == 1.0);
    } else if ((a == 0.0) | is_infinite(a)) {
      magnitude = select(0.0, infinity(), (a > 0.0) == (y > 0.0));
    } else {
      magnitude = positive_power(a, y);
    }
    let odd = integral & (abs(y) < 16777216.0) & ((i32(y) & 1) != 0);
    let negative = bitcast<u32>(x) >= 0x80000000u;
    let undefined = (x < 0.0) & is_finite(x) & !integral & is_finite(y);
    result = select(select(magnitude, -magnitude, negative & odd), nan_value(), undefined);
  }
  let known = (y == 0.0) | (x == 1.0);
  return select(select(result, nan_value(), is_nan(x) | is_nan(y)), 1.0, known);
}`,
  { compute: nearPower, isRare: isRarePower },
);

// Wraps around; x^-n is 1/x^n rounded towards zero, and 0^-n is 0.
export const powerI32: MathFunction = /* @__PURE__ */ defineMath(
  'power_i32',
  [],
  /* wgsl */ `
fn power_i32(x: i32, n: i32) -> i32 {
  if (n < 0) {
    return select(0, select(1, x, (n & 1) != 0), x == 1 || x == -1);
  }
  var result = 1;
  var square = x;
  for (var rest = u32(n); rest > 0u; rest >>= 1u) {
    if ((rest & 1u) == 1u) {
      result *= square;
    }
    square *= square;
  }
  return result;
}`,
);

export const powerU32: MathFunction = /* @__PURE__ */ defineMath(
  'power_u32',
  [],
  /* wgsl */ `
fn power_u32(x: u32, n: u32) -> u32 {
  var result = 1u;
  var square = x;
  for (var rest = n; rest > 0u; rest >>= 1u) {
    if ((rest & 1u) == 1u) {
      result *= square;
    }
    square *= square;
  }
  return result;
}`,
);
