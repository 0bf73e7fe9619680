/** @file Accumulators of reductions, and the keys by which values are ranked. */
import { defineMath, type MathFunction } from './define.ts';
import { finite, isNan, nanValue } from './bits.ts';

// Unsigned integers in the order of the floats; both zeros are equal, NaN is the largest.
export const orderedBits: MathFunction = /* @__PURE__ */ defineMath(
  'ordered_bits',
  [isNan],
  /* wgsl */ `
fn ordered_bits(x: f32) -> u32 {
  let bits = select(bitcast<u32>(x), 0u, x == 0.0);
  let key = select(bits | 0x80000000u, ~bits, bitcast<i32>(bits) < 0);
  return select(key, 0xffffffffu, is_nan(x));
}`,
);

// The empty sum: relative to the lowest finite number, since compilers may assume that there are no infinities.
export const noExponentials: MathFunction = /* @__PURE__ */ defineMath(
  'no_exponentials',
  [],
  /* wgsl */ `
fn no_exponentials() -> vec2<f32> {
  return vec2<f32>(-0x1.fffffep127, 0.0);
}`,
);

// One exponential as (m, s), which stands for s exp m. A NaN goes to s, where it stays.
export const exponentialOf: MathFunction = /* @__PURE__ */ defineMath(
  'exponential_of',
  [isNan],
  /* wgsl */ `
fn exponential_of(x: f32) -> vec2<f32> {
  return select(vec2<f32>(x, 1.0), vec2<f32>(-0x1.fffffep127, x), is_nan(x));
}`,
);

// The sum of two such pairs, without overflow.
export const addExponentials: MathFunction = /* @__PURE__ */ defineMath(
  'add_exponentials',
  [],
  /* wgsl */ `
fn add_exponentials(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  let high = select(a, b, b.x > a.x);
  let low = select(b, a, b.x > a.x);
  // Equal infinities have no difference.
  let weight = select(exp(low.x - high.x), 1.0, low.x == high.x);
  return vec2<f32>(high.x, high.y + low.y * weight);
}`,
);

// (count, offset, M2, pivot) of the union of two sets. The mean is pivot + offset, kept separately so that a large mean
// doesn't lose digits; M2 is the sum of squared deviations from it. Chan, Golub and LeVeque, "Updating formulae and a pairwise
// algorithm for computing sample variances", 1979, equations 2.1.
export const mergeMoments: MathFunction = /* @__PURE__ */ defineMath(
  'merge_moments',
  [],
  /* wgsl */ `
fn merge_moments(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  let count = a.x + b.x;
  let weight = select(b.x / count, 0.0, count == 0.0);
  let delta = (b.w - a.w) + (b.y - a.y);
  let merged = vec4<f32>(count, a.y + delta * weight, a.z + b.z + delta * delta * a.x * weight, a.w);
  return select(merged, b, a.x == 0.0);
}`,
);

// A single value has deviation 0, except NaN and infinity, which must be preserved.
export const momentsOf: MathFunction = /* @__PURE__ */ defineMath(
  'moments_of',
  [finite, nanValue],
  /* wgsl */ `
fn moments_of(x: f32) -> vec4<f32> {
  return vec4<f32>(1.0, 0.0, select(nan_value(), 0.0, is_finite(x)), x);
}`,
);

// Computed directly, with a fraction of the instructions of three merges. Only merges give the right mean for infinities.
export const momentsOfFour: MathFunction = /* @__PURE__ */ defineMath(
  'moments_of_four',
  [momentsOf, mergeMoments],
  /* wgsl */ `
fn moments_of_four(a: f32, b: f32, c: f32, d: f32) -> vec4<f32> {
  let above = vec3<f32>(b, c, d) - a;
  if ((bitcast<u32>(above.x + above.y + above.z) & 0x7f800000u) == 0x7f800000u) {
    return merge_moments(
      merge_moments(moments_of(a), moments_of(b)),
      merge_moments(moments_of(c), moments_of(d)),
    );
  }
  let offset = 0.25 * (above.x + above.y + above.z);
  let deviations = vec4<f32>(0.0, above) - offset;
  return vec4<f32>(4.0, offset, dot(deviations, deviations), a);
}`,
);
