@group(0) @binding(0) var<storage, read_write> logits: array<f32>;
@group(0) @binding(1) var<storage, read> labels: array<i32>;
@group(0) @binding(2) var<storage, read> log_sums: array<f32>;
@group(0) @binding(3) var<storage, read> dy: array<f32>;
struct Params {
  count: u32,
  n: u32,
  first: u32,
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

fn exponential_rest(r: f32) -> f32 {
  let p = 0.49999998 + r * (0.16666544 + r * (0.0416672 + r * (0.00836652058 + r * 0.00138825218)));
  return r + r * r * p;
}

fn same_integer(n: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(n + 12582912.0) | 0x4b000000u) - 12582912.0;
}

struct ReducedExponential {
  n: f32,
  rest: f32,
}

fn reduce_exponential(x: f32) -> ReducedExponential {
  let n = floor(x * 1.44269504 + 0.5);
  // By fma, and with n in two forms: compilers may add up the two parts of ln 2 otherwise.
  let r = fma(same_integer(n), 2.1219444e-4, fma(n, -0.693359375, x));
  return ReducedExponential(n, exponential_rest(r));
}

fn power_of_whole(n: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(n + 12583039.0) * 0x800000u);
}

fn is_nan(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) > 0x7f800000;
}

fn precise_exp(x: f32) -> f32 {
  let e = reduce_exponential(select(select(x, -105.0, x < -105.0), 89.0, x > 89.0));
  // In two steps: 2^n itself may be out of range where the result is not.
  let half = floor(0.5 * e.n);
  let y = (1.0 + e.rest) * power_of_whole(half) * power_of_whole(e.n - half);
  return select(y, x, is_nan(x));
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
  let row = i / params.n;
  let label = labels[row];
  let log_sum = log_sums[row];
  let is_label = bitcast<u32>(label) == params.first + i % params.n;
  let target_share = params.smoothing / params.vocabulary + select(0.0, 1.0 - params.smoothing, is_label);
  let derivative = (1.0 + 2.0 * params.z * log_sum) * precise_exp(logits[i] - log_sum) - target_share;
  logits[i] = select(dy[row] * derivative, 0.0, label < 0 || label == params.ignored);
}
