@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
struct Params {
  count: u32,
  half: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn mills_ratio(x: f32) -> f32 {
  let t = 1.0 / (1.0 + 0.2645 * x);
  let upper = 0.355718134 + t * (-0.306608856 + t * (0.560281932 + t * (-0.366771162 + t * 0.0778454691)));
  return t * (0.264561415 + t * (0.263194829 + t * (0.257950753 + t * (0.147141606 + t * upper))));
}

fn is_nan(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) > 0x7f800000;
}

fn normal_distribution(x: f32, density: f32) -> f32 {
  let tail = density * mills_ratio(abs(x));
  return select(select(tail, 1.0 - tail, x > 0.0), x, is_nan(x));
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

fn normal_density(x: f32) -> f32 {
  let exponent = -0.5 * x * x;
  let e = reduce_exponential(select(exponent, -88.0, exponent < -88.0));
  return 0.398942280 * ((1.0 + e.rest) * power_of_whole(e.n));
}

fn gelu(x: f32) -> f32 {
  return x * normal_distribution(x, normal_density(x));
}

fn bounded(x: f32, limit: f32) -> f32 {
  return select(select(select(x, limit, x > limit), -limit, x < -limit), x, is_nan(x));
}

fn gelu_derivative(x: f32) -> f32 {
  let near = bounded(x, 40.0);
  let density = normal_density(near);
  return normal_distribution(near, density) + near * density;
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
  // A row of x is twice as long.
  let gate_at = i + i / params.half * params.half;
  let up_at = gate_at + params.half;
  let a = x[gate_at];
  let b = x[up_at];
  let activated = gelu(a);
  let derivative = gelu_derivative(a);
  let cotangent = dy[i];
  out[gate_at] = cotangent * b * derivative;
  out[up_at] = cotangent * activated;
}
