/**
 * @file Trigonometric functions, to about two units in the last place, for arguments of any size. WGSL only guarantees an
 * absolute error of 2^-11 for sin and cos within [-π, π], and an error of 4096 ulp for atan.
 *
 * Polynomials are minimax fits (Remez) of the relative error.
 */
import { defineMath, type MathFunction } from './define.ts';
import { finite, isInfinite, isNan, multiplyHigh, nanValue, sameInteger, withSign } from './bits.ts';

// Argument reduction (Cody and Waite): x - n π for |n| up to 4096, in steps of 1/2, with π in four parts whose multiples are
// exact. By fma, and with n in two forms in turn, since compilers may combine the parts otherwise.
const reduceAngle: MathFunction = /* @__PURE__ */ defineMath(
  'reduce_angle',
  [sameInteger],
  /* wgsl */ `
fn reduce_angle(x: f32, n: f32) -> f32 {
  let same_n = 0.5 * same_integer(2.0 * n);
  let near = fma(same_n, -9.67502594e-4, fma(n, -3.140625, x));
  return fma(same_n, -5.1266882e-12, fma(n, -1.50990672e-7, near));
}`,
);

// sin r for |r| ≤ π/2.
const sineWithinHalf: MathFunction = /* @__PURE__ */ defineMath(
  'sine_within_half',
  [],
  /* wgsl */ `
fn sine_within_half(r: f32) -> f32 {
  let z = r * r;
  return r + r * z * (-0.166666597 + z * (0.00833306462 + z * (-1.98094727e-4 + z * 2.60547495e-6)));
}`,
);

// sin (x + h π), for h = 0 or 1/2 and |x| up to 12800. Added to 1.5 · 2^23, the number of half turns is in the last bits of a
// float; a factor of 2^31 moves the last one to the sign.
const nearSine: MathFunction = /* @__PURE__ */ defineMath(
  'near_sine',
  [reduceAngle, sineWithinHalf],
  /* wgsl */ `
fn near_sine(x: f32, h: f32) -> f32 {
  let n = floor(x * 0.318309886 + 0.5 + h);
  let y = sine_within_half(reduce_angle(x, n - h));
  return bitcast<f32>(bitcast<u32>(y) ^ (bitcast<u32>(n + 12582912.0) * 0x80000000u));
}`,
);

// The sine of a fraction of a full turn, in units of 2^-32. More bits of it may be given as `rest`, an angle.
export const sineOfTurn: MathFunction = /* @__PURE__ */ defineMath(
  'sine_of_turn',
  [sineWithinHalf],
  /* wgsl */ `
fn sine_of_turn(turn: u32, rest: f32) -> f32 {
  let n = (turn + 0x40000000u) & 0x80000000u;
  let y = sine_within_half(f32(bitcast<i32>(turn - n)) * 1.46291808e-9 + rest);
  return bitcast<f32>(bitcast<u32>(y) ^ n);
}`,
);

// Whether |x| is above 12800, infinite or NaN.
const isFarAngle: MathFunction = /* @__PURE__ */ defineMath(
  'is_far_angle',
  [],
  /* wgsl */ `
fn is_far_angle(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) > 0x46480000;
}`,
);

// A far angle |x| in turns: its product with 2/π in integers, keeping only the last two bits before the point and the 94
// after it (M. H. Payne and R. N. Hanek, Radian reduction for trigonometric functions, 1983).
const farTurn: MathFunction = /* @__PURE__ */ defineMath(
  'far_turn',
  [multiplyHigh],
  /* wgsl */ `
struct FarTurn {
  turn: u32,
  rest: f32,
}

// Word k of 2/π, after one word of zeros. Selections, since an array that is indexed at run time goes through memory.
fn two_over_pi(k: u32) -> u32 {
  let odd = (k & 1u) == 1u;
  let low = select(select(0u, 0xa2f9836eu, odd), select(0x4e441529u, 0xfc2757d1u, odd), (k & 2u) == 2u);
  let high = select(
    select(0xf534ddc0u, 0xdb629599u, odd),
    select(0x3c439041u, 0xfe5163abu, odd),
    (k & 2u) == 2u,
  );
  return select(low, high, k >= 4u);
}

// 32 bits from the upper word on, without the first ones.
fn shifted_word(upper: u32, lower: u32, shift: u32) -> u32 {
  return (upper << shift) | select(0u, lower >> (32u - shift), shift > 0u);
}

fn far_turn(x: f32) -> FarTurn {
  let bits = bitcast<u32>(x) & 0x7fffffffu;
  let mantissa = (bits & 0x007fffffu) | 0x00800000u;
  // |x| = mantissa 2^(biased exponent - 150); bits of 2/π before this one contribute multiples of four.
  let first = (bits >> 23u) - 120u;
  let word = first >> 5u;
  let shift = first & 31u;
  let second = two_over_pi(word + 1u);
  let third = two_over_pi(word + 2u);
  let a = shifted_word(two_over_pi(word), second, shift);
  let b = shifted_word(second, third, shift);
  let c = shifted_word(third, two_over_pi(word + 3u), shift);
  let tail = mantissa * b + multiply_high(mantissa, c);
  let head = mantissa * a + multiply_high(mantissa, b) + select(0u, 1u, tail < mantissa * b);
  return FarTurn(head, f32(tail) * 3.4061215e-19);
}`,
);

/** A function of an angle, and the same of near ones, which need only the short reduction. */
/* @__NO_SIDE_EFFECTS__ */
function circular(name: string, callee: MathFunction, near: string, far: string): MathFunction {
  const compute = defineMath(
    `near_${name}`,
    [callee],
    /* wgsl */ `
fn near_${name}(x: f32) -> f32 {
  ${near}
}`,
  );
  return defineMath(
    `precise_${name}`,
    [compute, isFarAngle, farTurn, sineOfTurn, finite, nanValue],
    /* wgsl */ `
fn precise_${name}(x: f32) -> f32 {
  if (!is_finite(x)) {
    return nan_value();
  }
  if (is_far_angle(x)) {
    let far = far_turn(x);
    return ${far};
  }
  return near_${name}(x);
}`,
    { compute, isRare: isFarAngle },
  );
}

const farSine = 'sine_of_turn(far.turn, far.rest)';
const farCosine = 'sine_of_turn(far.turn + 0x40000000u, far.rest)';

export const preciseSin: MathFunction = /* @__PURE__ */ circular(
  'sin',
  nearSine,
  'return near_sine(x, 0.0);',
  `select(${farSine}, -${farSine}, x < 0.0)`,
);

export const preciseCos: MathFunction = /* @__PURE__ */ circular(
  'cos',
  nearSine,
  'return near_sine(x, 0.5);',
  farCosine,
);

// From the sine and cosine of r with |r| ≤ π/4, exchanged for an odd number of quarter turns.
export const preciseTan: MathFunction = /* @__PURE__ */ circular(
  'tan',
  reduceAngle,
  `let n = floor(x * 0.636619772 + 0.5);
  let r = reduce_angle(x, 0.5 * n);
  let z = r * r;
  let sine = r + r * z * (-0.16666655 + z * (0.00833216029 - z * 1.95152181e-4));
  let cosine = (1.0 - 0.5 * z) + z * z * (0.0416666457 + z * (-0.00138873156 + z * 2.44330826e-5));
  let exchanged = (bitcast<u32>(n + 12582912.0) & 1u) == 1u;
  return select(sine, cosine, exchanged) / select(cosine, -sine, exchanged);`,
  `select(${farSine}, -${farSine}, x < 0.0) / ${farCosine}`,
);

// For x in [0, 1].
const atanWithinOne: MathFunction = /* @__PURE__ */ defineMath(
  'atan_within_one',
  [],
  /* wgsl */ `
fn atan_within_one(x: f32) -> f32 {
  let z = x * x;
  let upper = -0.0840345205 + z * (0.0579576186 + z * (-0.031177867 + z * (0.0109146153 - z * 0.00179362347)));
  return x + x * z * (-0.333332991 + z * (0.199985483 + z * (-0.142642418 + z * (0.109521865 + z * upper))));
}`,
);

export const preciseAtan: MathFunction = /* @__PURE__ */ defineMath(
  'precise_atan',
  [atanWithinOne, withSign, isNan],
  /* wgsl */ `
fn precise_atan(x: f32) -> f32 {
  let a = abs(x);
  let inner = atan_within_one(select(a, 1.0 / a, a > 1.0));
  return select(with_sign(select(inner, 1.57079633 - inner, a > 1.0), x), x, is_nan(x));
}`,
);

export const preciseAtan2: MathFunction = /* @__PURE__ */ defineMath(
  'precise_atan2',
  [isInfinite, atanWithinOne, withSign, isNan],
  /* wgsl */ `
fn precise_atan2(y: f32, x: f32) -> f32 {
  let steep = abs(y) > abs(x);
  let short = select(abs(y), abs(x), steep);
  let long = select(abs(x), abs(y), steep);
  // WGSL defines no quotient for divisors above 2^126: their reciprocals are subnormal.
  let scale = select(1.0, 0x1p-30, long > 0x1p+100);
  // 0/0 and ∞/∞ take the limits along the axes and the diagonals, as IEEE 754 has it.
  let ratio = select(select((short * scale) / (long * scale), 1.0, is_infinite(short)), 0.0, long == 0.0);
  let angle = atan_within_one(ratio);
  let quarter = select(angle, 1.57079633 - angle, steep);
  let half = select(quarter, 3.14159265 - quarter, bitcast<u32>(x) >= 0x80000000u);
  return select(select(with_sign(half, y), x, is_nan(x)), y, is_nan(y));
}`,
);

// asin x = s + s z P(z) with s = x, z = x² up to 1/2; beyond it π/2 - 2 asin √((1 - x)/2).
const reduceArcsine: MathFunction = /* @__PURE__ */ defineMath(
  'reduce_arcsine',
  [],
  /* wgsl */ `
fn reduce_arcsine(x: f32) -> f32 {
  let a = abs(x);
  let far = a > 0.5;
  let z = select(a * a, 0.5 * (1.0 - a), far);
  let s = select(a, sqrt(abs(z)), far);
  let p = 0.166667529 + z * (0.0749527969 + z * (0.0454728396 + z * (0.0241663843 + z * 0.0421901547)));
  return s + s * z * p;
}`,
);

export const preciseAsin: MathFunction = /* @__PURE__ */ defineMath(
  'precise_asin',
  [reduceArcsine, withSign, nanValue, isNan],
  /* wgsl */ `
fn precise_asin(x: f32) -> f32 {
  let half = reduce_arcsine(x);
  let y = with_sign(select(half, 1.57079633 - 2.0 * half, abs(x) > 0.5), x);
  return select(y, nan_value(), (abs(x) > 1.0) | is_nan(x));
}`,
);

export const preciseAcos: MathFunction = /* @__PURE__ */ defineMath(
  'precise_acos',
  [reduceArcsine, withSign, nanValue, isNan],
  /* wgsl */ `
fn precise_acos(x: f32) -> f32 {
  let half = reduce_arcsine(x);
  let near = 1.57079633 - with_sign(half, x);
  let far = select(2.0 * half, 3.14159265 - 2.0 * half, x < 0.0);
  return select(select(near, far, abs(x) > 0.5), nan_value(), (abs(x) > 1.0) | is_nan(x));
}`,
);
