/**
 * @file Random bits from a counter, and numbers from random bits. The n-th value depends only on the seed and n: no state,
 * any order, the same on every adapter.
 */
import { defineMath, type MathFunction } from './define.ts';
import { bounded } from './bits.ts';
import { nearLog } from './exponential.ts';
import { sineOfTurn } from './trigonometric.ts';
import { truncatedNormalQuantile } from './gaussian.ts';

// A round multiplies two words by constants. Its words are 2^31 less and taken as signed numbers, also the lower words of the
// products, `low`. With x = 2^16 u + v, the upper word of m x is (m >> 16) u + k, where k = ((m & 0xffff) 2^16 u + m v - low) /
// 2^32 is whole, so that floats are accurate enough. Added to 1.5 · 2^39 and 1.5 · 2^23, u and k are the last bits of floats;
// the last constants cancel the others. Integers would need shifts, each of which takes a software adapter as long as a dozen
// other instructions. Floor rounds, since compilers may reassociate sums.
const philoxRound = `  {
    let low = x * vec2<u32>(0xcd9e8d57u, 0xd2511f53u);
    let u = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffff0000u)));
    let v = vec2<f32>(bitcast<vec2<i32>>(x & vec2<u32>(0xffffu)));
    let rest = vec2<f32>(bitcast<vec2<i32>>(low)) * 2.32830644e-10;
    let k = floor(u * vec2<f32>(8.424511e-6, 1.867069e-6) + v * vec2<f32>(0.8032006, 0.8215503) - rest + 0.5);
    let high = bitcast<vec2<u32>>(u + 824633720832.0) * vec2<u32>(52638u, 53841u)
      + bitcast<vec2<u32>>(k + 12582912.0) + vec2<u32>(2047821483u, 1185451945u);
    x = (high ^ y ^ key).yx;
    y = low;
    key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
  }
`;

// Philox4x32-10: four words for each counter. J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel random
// numbers: as easy as 1, 2, 3, SC 2011. Unrolled, since a loop costs software as much as half a round.
export const philox: MathFunction = /* @__PURE__ */ defineMath(
  'philox',
  [],
  /* wgsl */ `
fn philox(counter: vec4<u32>, seed: vec2<u32>) -> vec4<u32> {
  var x = counter.zx ^ vec2<u32>(0x80000000u);
  var y = counter.yw ^ vec2<u32>(0x80000000u);
  var key = seed;
${/* @__PURE__ */ philoxRound.repeat(10)}  return vec4<u32>(x.y, y.x, x.x, y.y) ^ vec4<u32>(0x80000000u);
}`,
);

// In [0, 1): 24 bits. The word minus 2^31 is a signed number whose upper bits form an integral float.
export const unitInterval: MathFunction = /* @__PURE__ */ defineMath(
  'unit_interval',
  [],
  /* wgsl */ `
fn unit_interval(bits: u32) -> f32 {
  return f32(bitcast<i32>((bits ^ 0x80000000u) & 0xffffff00u)) * 2.32830644e-10 + 0.5;
}`,
);

// Two normal numbers from two words. G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates,
// 1958.
export const boxMuller: MathFunction = /* @__PURE__ */ defineMath(
  'box_muller',
  [nearLog, sineOfTurn],
  /* wgsl */ `
fn box_muller(distance: u32, turn: u32) -> vec2<f32> {
  let radius = sqrt(2.0 * abs(near_log((f32(distance) + 0.5) * 2.32830644e-10)));
  return radius * vec2<f32>(sine_of_turn(turn + 0x40000000u, 0.0), sine_of_turn(turn, 0.0));
}`,
);

// A normal number within ±2, from one word by inversion, without rejection: it depends only on the seed and the position.
export const truncatedNormal: MathFunction = /* @__PURE__ */ defineMath(
  'truncated_normal',
  [bounded, truncatedNormalQuantile],
  /* wgsl */ `
fn truncated_normal(bits: u32) -> f32 {
  let v = f32(bitcast<i32>((bits ^ 0x80000000u) & 0xfffffe00u)) * 4.65661287e-10 + 1.1920929e-7;
  return bounded(truncated_normal_quantile(v), 2.0);
}`,
);
