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

fn log1p(x: f32) -> f32 {
  return select(precise_log(1.0 + x), log_near_one(x), x > -0.29 && x < 0.41);
}

fn truncated_normal_quantile(v: f32) -> f32 {
  let w = -log1p(-0.911069758 * v * v);
  let upper = -0.00312803451 + w * (-2.05702960e-4 + w * (8.6529191e-5 - w * 6.06833237e-6));
  return v * (1.19628799 + w * (0.31318858 + w * (0.0155816195 + w * upper)));
}

fn truncated_normal(bits: u32) -> f32 {
  let v = (f32(bits >> 9u) + 0.5) * 2.38418579e-7 - 1.0;
  return clamp(truncated_normal_quantile(v), -2.0, 2.0);
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

  let values = params.low + params.high * vec4<f32>(
    truncated_normal(words.x), truncated_normal(words.y), truncated_normal(words.z), truncated_normal(words.w),
  );
  out[i] = values;
}
