/** @file What reductions fold, and the keys by which values are ranked. */
import { defineMath, type MathFunction } from './define.ts';
import { infinity, isNan } from './bits.ts';

// Unsigned integers in the order of the floats; both zeros are equal, NaN is the largest.
export const orderedBits: MathFunction = /* @__PURE__ */ defineMath(
  'ordered_bits',
  [isNan],
  /* wgsl */ `
fn ordered_bits(x: f32) -> u32 {
  let bits = select(bitcast<u32>(x), 0u, x == 0.0);
  let key = select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
  return select(key, 0xffffffffu, is_nan(x));
}`,
);

// (m, s) stands for s exp m: one exponential. A NaN is put into s, where it stays.
export const exponentialOf: MathFunction = /* @__PURE__ */ defineMath(
  'exponential_of',
  [infinity, isNan],
  /* wgsl */ `
fn exponential_of(x: f32) -> vec2<f32> {
  return select(vec2<f32>(x, 1.0), vec2<f32>(-infinity(), x), is_nan(x));
}`,
);

// The sum of two such, without overflow.
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

// (count, offset, M2, pivot) of two sets from those of each. Their mean is pivot + offset, apart so that it keeps its digits
// where it is large; M2 is the sum of squared deviations from it. Chan, Golub and LeVeque, "Updating formulae and a pairwise
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
