@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> positions: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
struct Params {
  low: array<vec4<u32>, 2>,
  middle: array<vec4<u32>, 2>,
  high: array<vec4<u32>, 2>,
  count: u32,
  units: u32,
  blocks: u32,
  rows: u32,
  size: u32,
  half: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn same_integer(n: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(n + 12582912.0) | 0x4b000000u) - 12582912.0;
}

fn reduce_angle(x: f32, n: f32) -> f32 {
  let same_n = 0.5 * same_integer(2.0 * n);
  let near = fma(same_n, -9.67502594e-4, fma(n, -3.140625, x));
  return fma(same_n, -5.1266882e-12, fma(n, -1.50990672e-7, near));
}

fn sine_within_half(r: f32) -> f32 {
  let z = r * r;
  return r + r * z * (-0.166666597 + z * (0.00833306462 + z * (-1.98094727e-4 + z * 2.60547495e-6)));
}

fn near_sine(x: f32, h: f32) -> f32 {
  let n = floor(x * 0.318309886 + 0.5 + h);
  let y = sine_within_half(reduce_angle(x, n - h));
  return bitcast<f32>(bitcast<u32>(y) ^ (bitcast<u32>(n + 12582912.0) * 0x80000000u));
}

fn near_cos(x: f32) -> f32 {
  return near_sine(x, 0.5);
}

fn is_far_angle(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) > 0x46480000;
}

fn multiply_high(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let carry = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (middle >> 16u) + (carry >> 16u);
}

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
}

fn sine_of_turn(turn: u32, rest: f32) -> f32 {
  let n = (turn + 0x40000000u) & 0x80000000u;
  let y = sine_within_half(f32(bitcast<i32>(turn - n)) * 1.46291808e-9 + rest);
  return bitcast<f32>(bitcast<u32>(y) ^ n);
}

fn is_finite(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) < 0x7f800000;
}

fn nan_value() -> f32 {
  var bits = 0x7fc00000u;
  return bitcast<f32>(bits);
}

fn precise_cos(x: f32) -> f32 {
  if (!is_finite(x)) {
    return nan_value();
  }
  if (is_far_angle(x)) {
    let far = far_turn(x);
    return sine_of_turn(far.turn + 0x40000000u, far.rest);
  }
  return near_cos(x);
}

fn near_sin(x: f32) -> f32 {
  return near_sine(x, 0.0);
}

fn precise_sin(x: f32) -> f32 {
  if (!is_finite(x)) {
    return nan_value();
  }
  if (is_far_angle(x)) {
    let far = far_turn(x);
    return select(sine_of_turn(far.turn, far.rest), -sine_of_turn(far.turn, far.rest), x < 0.0);
  }
  return near_sin(x);
}
fn frequency(pair: u32) -> f32 {
  let low = pair % 8u;
  let middle = pair / 8u % 8u;
  let high = pair / 64u;
  return bitcast<f32>(params.low[low / 4u][low % 4u]) * (bitcast<f32>(params.middle[middle / 4u][middle % 4u]) * bitcast<f32>(params.high[high / 4u][high % 4u]));
}
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 64u);
  if (i >= params.count) {
    return;
  }
  // Pairs, then copied features.
  let unit = i % params.units;
  let head = i / params.units;
  let row = head / params.blocks;
  var at = head * 1u * params.size;
  if (unit >= params.half) {
    let place = unit + params.half;
    out[at + 0u * params.size + place] = x[at + 0u * params.size + place];
    return;
  }
  let angle = f32(positions[row % params.rows]) * (frequency(unit));
  let cosine = precise_cos(angle);
  let sine = (precise_sin(angle));
  for (var k = 0u; k < 1u; k++) {
    let a = x[at + 2u * unit];
    let b = x[at + 2u * unit + 1u];
    let c: f32 = a * cosine - b * sine;
    let d: f32 = a * sine + b * cosine;
    out[at + 2u * unit] = c;
    out[at + 2u * unit + 1u] = d;
    at += params.size;
  }
}
