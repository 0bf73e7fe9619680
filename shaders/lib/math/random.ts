/**
 * @file Random bits from a counter, and numbers from random bits. The n-th value depends only on the seed and n: no state,
 * any order, the same on every adapter.
 */
import { defineMath, type MathFunction } from './define.ts';
import { multiplyHigh } from './bits.ts';
import { preciseLog } from './exponential.ts';
import { turnedSine } from './trigonometric.ts';
import { truncatedNormalQuantile } from './gaussian.ts';

// Philox4x32-10: four words for each counter. J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel random
// numbers: as easy as 1, 2, 3, SC 2011.
export const philox: MathFunction = /* @__PURE__ */ defineMath(
  'philox',
  [multiplyHigh],
  /* wgsl */ `
fn philox(counter: vec4<u32>, seed: vec2<u32>) -> vec4<u32> {
  var c = counter;
  var key = seed;
  for (var round = 0u; round < 10u; round++) {
    let first = 0xd2511f53u * c.x;
    let second = 0xcd9e8d57u * c.z;
    c = vec4<u32>(
      multiply_high(0xcd9e8d57u, c.z) ^ c.y ^ key.x,
      second,
      multiply_high(0xd2511f53u, c.x) ^ c.w ^ key.y,
      first,
    );
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
  return c;
}`,
);

// In [0, 1): 24 bits.
export const unitInterval: MathFunction = /* @__PURE__ */ defineMath(
  'unit_interval',
  [],
  /* wgsl */ `
fn unit_interval(bits: u32) -> f32 {
  return f32(bits >> 8u) * 5.96046448e-8;
}`,
);

// Two normal numbers from two words. G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates,
// 1958.
export const boxMuller: MathFunction = /* @__PURE__ */ defineMath(
  'box_muller',
  [preciseLog, turnedSine],
  /* wgsl */ `
fn box_muller(distance: u32, turn: u32) -> vec2<f32> {
  let radius = sqrt(max(-2.0 * precise_log((f32(distance) + 0.5) * 2.32830644e-10), 0.0));
  let quadrant = (turn + 0x20000000u) >> 30u;
  let angle = f32(bitcast<i32>(turn - (quadrant << 30u))) * 1.46291808e-9;
  return radius * vec2<f32>(turned_sine(quadrant + 1u, angle), turned_sine(quadrant, angle));
}`,
);

// A normal number within ±2, from one word by inversion, without rejection: it depends only on the seed and the position.
export const truncatedNormal: MathFunction = /* @__PURE__ */ defineMath(
  'truncated_normal',
  [truncatedNormalQuantile],
  /* wgsl */ `
fn truncated_normal(bits: u32) -> f32 {
  let v = (f32(bits >> 9u) + 0.5) * 2.38418579e-7 - 1.0;
  return clamp(truncated_normal_quantile(v), -2.0, 2.0);
}`,
);
