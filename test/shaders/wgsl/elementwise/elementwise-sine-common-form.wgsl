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

fn multiply_high(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let carry = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (middle >> 16u) + (carry >> 16u);
}

fn is_finite(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) < 0x7f800000;
}

fn nan_value() -> f32 {
  var bits = 0x7fc00000u;
  return bitcast<f32>(bits);
}

struct ReducedAngle {
  quadrant: u32,
  r: f32,
}

fn near_angle(x: f32) -> ReducedAngle {
  let bits = bitcast<i32>(x * 0.636619772 + 12582912.0);
  let n = f32(bits - 0x4b400000);
  let r = fma(n, -7.54953362e-8, fma(n, -4.83751297e-4, fma(n, -1.5703125, x)));
  return ReducedAngle(bitcast<u32>(bits), fma(n, -2.5633441e-12, r));
}

fn is_far_angle(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) > 0x46480000;
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

fn reduce_far_angle(x: f32) -> ReducedAngle {
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
  let quadrant = (head + 0x20000000u) >> 30u;
  let quarters = f32(bitcast<i32>(head - (quadrant << 30u))) * 9.31322575e-10 + f32(tail) * 2.16840434e-19;
  let r = quarters * 1.57079633;
  return ReducedAngle(select(quadrant, 0u - quadrant, x < 0.0), select(r, -r, x < 0.0));
}

fn reduce_angle(x: f32) -> ReducedAngle {
  if (!is_finite(x)) {
    return ReducedAngle(0u, nan_value());
  }
  if (is_far_angle(x)) {
    return reduce_far_angle(x);
  }
  return near_angle(x);
}

fn turned_sine(quadrant: u32, r: f32) -> f32 {
  let z = r * r;
  let sine = r + r * z * (-0.16666655 + z * (0.00833216029 - z * 1.95152181e-4));
  let cosine = (1.0 - 0.5 * z) + z * z * (0.0416666457 + z * (-0.00138873156 + z * 2.44330826e-5));
  let y = select(sine, cosine, (quadrant & 1u) == 1u);
  return select(y, -y, (quadrant & 2u) == 2u);
}

fn precise_sin(x: f32) -> f32 {
  let angle = reduce_angle(x);
  return turned_sine(angle.quadrant, angle.r);
}

fn near_sin(x: f32) -> f32 {
  let angle = near_angle(x);
  return turned_sine(angle.quadrant, angle.r);
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

@compute @workgroup_size(128)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let start = (flat_group(group, groups) * params.rounds * 128u + local) * 4u;
  let last = params.count - 4u;
  // A bit for each element of a round that the common form doesn't hold for, and for each round with such elements.
  var rare: array<u32, 16>;
  var rare_rounds = 0u;
  for (var round = 0u; round < params.rounds; round++) {
    let at = start + round * 512u;
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
    let i = min(start + round * 512u, last) + bit / 4u;
    out[i][bit % 4u] = apply_rarely(a_values[i][bit % 4u]);
    let others = bits & (bits - 1u);
    rare[round] = others;
    rare_rounds &= select(0xffffffffu, rare_rounds - 1u, others == 0u);
  }
}
