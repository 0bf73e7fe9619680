@group(0) @binding(0) var<storage, read> trace: array<f32>;
@group(0) @binding(1) var<storage, read> dhs: array<f32>;
@group(0) @binding(2) var<storage, read> recurrent: array<f32>;
@group(0) @binding(3) var<storage, read_write> dstep: array<f32>;
@group(0) @binding(4) var<storage, read_write> carry: array<f32>;
@group(0) @binding(5) var<storage, read_write> dgates: array<f32>;
struct Params {
  count: u32,
  batch: u32,
  units: u32,
  time: u32,
  step: u32,
}
@group(0) @binding(6) var<uniform> params: Params;

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

fn with_sign(magnitude: f32, sign_of: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(magnitude) & 0x7fffffffu) | (bitcast<u32>(sign_of) & 0x80000000u));
}

fn is_nan(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) > 0x7f800000;
}

fn precise_tanh(x: f32) -> f32 {
  let a = abs(x);
  let e = reduce_exponential(select(2.0 * a, 20.0, a > 10.0));
  let scale = power_of_whole(e.n);
  let m = scale * e.rest + (scale - 1.0);
  return select(with_sign(m / (m + 2.0), x), x, is_nan(x));
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

  let product = recurrent[i];
  let state = dhs[place] + product;
  let cell = carry[i];
  let input_gate = trace[(row * 5u + 0u) * params.units + unit];
  let forget_gate = trace[(row * 5u + 1u) * params.units + unit];
  let candidate = trace[(row * 5u + 2u) * params.units + unit];
  let output_gate = trace[(row * 5u + 3u) * params.units + unit];
  let previous_cell = trace[(row * 5u + 4u) * params.units + unit];
  let cell_tanh = tanh_of(forget_gate * previous_cell + input_gate * candidate);
  let total = cell + state * output_gate * (1.0 - cell_tanh) * (1.0 + cell_tanh);
  carry[i] = total * forget_gate;
  let d_input_gate = total * candidate * input_gate * (1.0 - input_gate);
  let d_forget_gate = total * previous_cell * forget_gate * (1.0 - forget_gate);
  let d_candidate = total * input_gate * (1.0 - candidate) * (1.0 + candidate);
  let d_output_gate = state * cell_tanh * output_gate * (1.0 - output_gate);
  dgates[(row * 4u + 0u) * params.units + unit] = d_input_gate;
  dgates[(row * 4u + 1u) * params.units + unit] = d_forget_gate;
  dgates[(row * 4u + 2u) * params.units + unit] = d_candidate;
  dgates[(row * 4u + 3u) * params.units + unit] = d_output_gate;
  dstep[(line * 4u + 0u) * params.units + unit] = d_input_gate;
  dstep[(line * 4u + 1u) * params.units + unit] = d_forget_gate;
  dstep[(line * 4u + 2u) * params.units + unit] = d_candidate;
  dstep[(line * 4u + 3u) * params.units + unit] = d_output_gate;
}
