@group(0) @binding(0) var<storage, read> statistics: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> labels: array<i32>;
@group(0) @binding(2) var<storage, read_write> losses: array<f32>;
@group(0) @binding(3) var<storage, read_write> log_sums: array<f32>;
struct Params {
  rows: u32,
  smoothing: f32,
  vocabulary: f32,
  z: f32,
  ignored: i32,
}
@group(0) @binding(4) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

struct SplitFloat {
  exponent: f32,
  mantissa: f32,
}

fn split_float(bits: u32) -> SplitFloat {
  let shifted = bits - 0x3f3504f3u;
  return SplitFloat(
    f32(bitcast<i32>(shifted & 0xff800000u)) * 1.1920929e-7,
    bitcast<f32>((shifted & 0x007fffffu) + 0x3f3504f3u),
  );
}

fn log_near_one(f: f32) -> f32 {
  let s = f / (2.0 + f);
  let z = s * s;
  let rest = z * (0.66666776 + z * (0.39977540 + z * 0.29871762));
  return f - s * (f - rest);
}

fn joined_log(n: f32, f: f32) -> f32 {
  return fma(n, 0.693359375, fma(n, -2.1219444e-4, log_near_one(f)));
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
  let y = joined_log(parts.exponent - select(0.0, 149.0, subnormal), parts.mantissa - 1.0);
  // Negative numbers, infinity and NaN.
  let defined = select(y, select(x, nan_value(), x < 0.0), bits >= 0x7f800000u);
  return select(defined, -infinity(), (bits & 0x7fffffffu) == 0u);
}
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let row = flat_index(group, groups, local, 64u);
  if (row >= params.rows) {
    return;
  }
  let known = statistics[row];
  let log_sum = known.x + precise_log(known.y);
  let smoothed = (1.0 - params.smoothing) * known.w + params.smoothing * (known.z / params.vocabulary);
  let loss = log_sum - smoothed + params.z * log_sum * log_sum;
  log_sums[row] = log_sum;
  losses[row] = select(loss, 0.0, labels[row] < 0 || labels[row] == params.ignored);
}
