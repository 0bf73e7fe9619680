@group(0) @binding(0) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  count: u32,
  seed_low: u32,
  seed_high: u32,
  low: f32,
  high: f32,
  below: f32,
  offset: u32,
  range: u32,
}
@group(0) @binding(1) var<uniform> params: Params;

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
}

struct SplitFloat {
  exponent: i32,
  mantissa: f32,
}

fn split_float(bits: u32) -> SplitFloat {
  let shifted = bits - 0x3f3504f3u;
  return SplitFloat(bitcast<i32>(shifted) >> 23u, bitcast<f32>((shifted & 0x007fffffu) + 0x3f3504f3u));
}

fn log_near_one(f: f32) -> f32 {
  let s = f / (2.0 + f);
  let z = s * s;
  let rest = z * (0.66666776 + z * (0.39977540 + z * 0.29871762));
  return f - s * (f - rest);
}

fn infinity() -> f32 {
  var bits = 0x7f800000u;
  return bitcast<f32>(bits);
}

fn nan_value() -> f32 {
  var bits = 0x7fc00000u;
  return bitcast<f32>(bits);
}

fn precise_log(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  // A subnormal number is an integer times 2^-149.
  let subnormal = bits < 0x00800000u;
  let parts = split_float(select(bits, bitcast<u32>(f32(bits)), subnormal));
  let n = f32(parts.exponent - select(0, 149, subnormal));
  let y = fma(n, 0.693359375, fma(n, -2.1219444e-4, log_near_one(parts.mantissa - 1.0)));
  if ((bits & 0x7fffffffu) == 0u) {
    return -infinity();
  }
  // Negative numbers, infinity and NaN.
  return select(y, select(x, nan_value(), x < 0.0), bits >= 0x7f800000u);
}

fn turned_sine(quadrant: u32, r: f32) -> f32 {
  let z = r * r;
  let sine = r + r * z * (-0.16666655 + z * (0.00833216029 - z * 1.95152181e-4));
  let cosine = (1.0 - 0.5 * z) + z * z * (0.0416666457 + z * (-0.00138873156 + z * 2.44330826e-5));
  let y = select(sine, cosine, (quadrant & 1u) == 1u);
  return select(y, -y, (quadrant & 2u) == 2u);
}

fn box_muller(distance: u32, turn: u32) -> vec2<f32> {
  let radius = sqrt(max(-2.0 * precise_log((f32(distance) + 0.5) * 2.32830644e-10), 0.0));
  let quadrant = (turn + 0x20000000u) >> 30u;
  let angle = f32(bitcast<i32>(turn - (quadrant << 30u))) * 1.46291808e-9;
  return radius * vec2<f32>(turned_sine(quadrant + 1u, angle), turned_sine(quadrant, angle));
}
@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 256u);
  if (i >= params.count) {
    return;
  }
  let words = philox(vec4<u32>(i, 0u, 0u, 0u), vec2<u32>(params.seed_low, params.seed_high));

  let values = params.low
  + params.high * vec4<f32>(box_muller(words.x, words.y), box_muller(words.z, words.w));
  out[i] = values;
}
