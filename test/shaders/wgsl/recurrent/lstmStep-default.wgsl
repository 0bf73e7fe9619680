@group(0) @binding(0) var<storage, read> gates: array<f32>;
@group(0) @binding(1) var<storage, read> recurrent: array<f32>;
@group(0) @binding(2) var<storage, read_write> h: array<f32>;
@group(0) @binding(3) var<storage, read_write> hs: array<f32>;
@group(0) @binding(4) var<storage, read_write> c: array<f32>;
@group(0) @binding(5) var<storage, read_write> cs: array<f32>;
@group(0) @binding(6) var<storage, read_write> trace: array<f32>;
struct Params {
  count: u32,
  batch: u32,
  units: u32,
  time: u32,
  step: u32,
}
@group(0) @binding(7) var<uniform> params: Params;

alias T = f32;

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

fn sigmoid(x: f32) -> f32 {
  let e = reduce_exponential(select(select(-x, 104.5, x < -104.5), -20.0, x > 20.0));
  let scaled = (1.0 + e.rest) * power_of_whole(e.n - 24.0);
  return select(5.96046448e-8 / (5.96046448e-8 + scaled), x, is_nan(x));
}

fn with_sign(magnitude: f32, sign_of: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(magnitude) & 0x7fffffffu) | (bitcast<u32>(sign_of) & 0x80000000u));
}

fn precise_tanh(x: f32) -> f32 {
  let a = abs(x);
  let e = reduce_exponential(select(2.0 * a, 20.0, a > 10.0));
  let scale = power_of_whole(e.n);
  let m = scale * e.rest + (scale - 1.0);
  return select(with_sign(m / (m + 2.0), x), x, is_nan(x));
}
fn sigmoid_of(x: T) -> T {
  return sigmoid(x);
}

fn tanh_of(x: T) -> T {
  return precise_tanh(x);
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
  let line = i / params.units;
  let unit = i % params.units;
  // A line is a sample; rows count the steps of all samples.
  let row = line * params.time + params.step;
  let place = row * params.units + unit;

  let previous_cell = c[i];
  let product_0 = recurrent[(line * 4u + 0u) * params.units + unit];
  let product_1 = recurrent[(line * 4u + 1u) * params.units + unit];
  let product_2 = recurrent[(line * 4u + 2u) * params.units + unit];
  let product_3 = recurrent[(line * 4u + 3u) * params.units + unit];
  let input_gate = sigmoid_of(gates[(row * 4u + 0u) * params.units + unit] + product_0);
  let forget_gate = sigmoid_of(gates[(row * 4u + 1u) * params.units + unit] + product_1);
  let candidate = tanh_of(gates[(row * 4u + 2u) * params.units + unit] + product_2);
  let output_gate = sigmoid_of(gates[(row * 4u + 3u) * params.units + unit] + product_3);
  let next_cell = forget_gate * previous_cell + input_gate * candidate;
  let next_state = output_gate * tanh_of(next_cell);
  h[i] = next_state;
  c[i] = next_cell;
  hs[place] = next_state;
  cs[place] = next_cell;
  trace[(row * 5u + 0u) * params.units + unit] = input_gate;
  trace[(row * 5u + 1u) * params.units + unit] = forget_gate;
  trace[(row * 5u + 2u) * params.units + unit] = candidate;
  trace[(row * 5u + 3u) * params.units + unit] = output_gate;
  trace[(row * 5u + 4u) * params.units + unit] = previous_cell;
}
