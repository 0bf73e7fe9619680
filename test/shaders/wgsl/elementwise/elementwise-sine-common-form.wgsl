@group(0) @binding(0) var<storage, read> a_values: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  count: u32,
  rounds: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

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

fn near_sin(x: f32) -> f32 {
  return near_sine(x, 0.0);
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
fn apply(a: f32) -> f32 {
  return near_sin(a);
}

fn is_rare(a: f32) -> bool {
  return is_far_angle(a);
}

fn apply_rarely(a: f32) -> f32 {
  return precise_sin(a);
}

@compute @workgroup_size(4)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let start = (flat_group(group, groups) * params.rounds * 4u + local) * 4u;
  let last = params.count - 4u;
  // A bit for each element of a round for which the common form isn't correct, and for each round with such elements.
  var rare: array<u32, 16>;
  var rare_rounds = 0u;
  for (var round = 0u; round < params.rounds; round++) {
    let at = start + round * 16u;
    if (at >= params.count) {
      break;
    }
    // The last one starts earlier instead of running past the end: some elements are computed twice.
    let first = min(at, last);
    var bits = 0u;
    {
      let i = first + 0u;
      let a_value = a_values[i];
      out[i] = vec4<f32>(apply(a_value.x), apply(a_value.y), apply(a_value.z), apply(a_value.w));
      bits |= select(0u, 1u, is_rare(a_value.x));
      bits |= select(0u, 2u, is_rare(a_value.y));
      bits |= select(0u, 4u, is_rare(a_value.z));
      bits |= select(0u, 8u, is_rare(a_value.w));
    }
    {
      let i = first + 1u;
      let a_value = a_values[i];
      out[i] = vec4<f32>(apply(a_value.x), apply(a_value.y), apply(a_value.z), apply(a_value.w));
      bits |= select(0u, 16u, is_rare(a_value.x));
      bits |= select(0u, 32u, is_rare(a_value.y));
      bits |= select(0u, 64u, is_rare(a_value.z));
      bits |= select(0u, 128u, is_rare(a_value.w));
    }
    {
      let i = first + 2u;
      let a_value = a_values[i];
      out[i] = vec4<f32>(apply(a_value.x), apply(a_value.y), apply(a_value.z), apply(a_value.w));
      bits |= select(0u, 256u, is_rare(a_value.x));
      bits |= select(0u, 512u, is_rare(a_value.y));
      bits |= select(0u, 1024u, is_rare(a_value.z));
      bits |= select(0u, 2048u, is_rare(a_value.w));
    }
    {
      let i = first + 3u;
      let a_value = a_values[i];
      out[i] = vec4<f32>(apply(a_value.x), apply(a_value.y), apply(a_value.z), apply(a_value.w));
      bits |= select(0u, 4096u, is_rare(a_value.x));
      bits |= select(0u, 8192u, is_rare(a_value.y));
      bits |= select(0u, 16384u, is_rare(a_value.z));
      bits |= select(0u, 32768u, is_rare(a_value.w));
    }
    rare[round] = bits;
    rare_rounds |= select(0u, 1u << round, bits != 0u);
  }
  while (rare_rounds != 0u) {
    let round = firstTrailingBit(rare_rounds);
    let bits = rare[round];
    let bit = firstTrailingBit(bits);
    let i = min(start + round * 16u, last) + bit / 4u;
    out[i][bit % 4u] = apply_rarely(a_values[i][bit % 4u]);
    let others = bits & (bits - 1u);
    rare[round] = others;
    rare_rounds &= select(0xffffffffu, rare_rounds - 1u, others == 0u);
  }
}
