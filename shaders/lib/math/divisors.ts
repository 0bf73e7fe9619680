/** @file Greatest common divisors and least common multiples, by Euclid's algorithm. */
import { defineMath, type MathFunction } from './define.ts';

export const gcdU32: MathFunction = /* @__PURE__ */ defineMath(
  'gcd_u32',
  [],
  /* wgsl */ `
fn gcd_u32(x: u32, y: u32) -> u32 {
  var a = x;
  var b = y;
  while (b != 0u) {
    let rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}`,
);

// The magnitude of the lowest integer is a uint32 alone.
export const gcdI32: MathFunction = /* @__PURE__ */ defineMath(
  'gcd_i32',
  [gcdU32],
  /* wgsl */ `
fn gcd_i32(x: i32, y: i32) -> i32 {
  return bitcast<i32>(gcd_u32(bitcast<u32>(abs(x)), bitcast<u32>(abs(y))));
}`,
);

export const lcmU32: MathFunction = /* @__PURE__ */ defineMath(
  'lcm_u32',
  [gcdU32],
  /* wgsl */ `
fn lcm_u32(x: u32, y: u32) -> u32 {
  return x / max(gcd_u32(x, y), 1u) * y;
}`,
);

export const lcmI32: MathFunction = /* @__PURE__ */ defineMath(
  'lcm_i32',
  [lcmU32],
  /* wgsl */ `
fn lcm_i32(x: i32, y: i32) -> i32 {
  return bitcast<i32>(lcm_u32(bitcast<u32>(abs(x)), bitcast<u32>(abs(y))));
}`,
);
