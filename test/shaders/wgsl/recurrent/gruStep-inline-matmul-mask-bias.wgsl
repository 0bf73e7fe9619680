@group(0) @binding(0) var<storage, read> gates: array<f32>;
@group(0) @binding(1) var<storage, read> recurrent_kernel: array<f32>;
@group(0) @binding(2) var<storage, read> recurrent_bias: array<f32>;
@group(0) @binding(3) var<storage, read> mask: array<u32>;
@group(0) @binding(4) var<storage, read_write> hs: array<f32>;
@group(0) @binding(5) var<storage, read_write> trace: array<f32>;
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

var<workgroup> sums: array<T, 384>;
@compute @workgroup_size(128)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let tiles = (params.units + 31u) / 32u;
  let index = flat_group(group, groups);
  let first_line = (index / tiles) * 1u;
  let first_unit = (index % tiles) * 32u;
  let column = local % 32u;
  let lane = local / 32u;
  let own_unit = min(first_unit + column, params.units - 1u);
  let before_0 = (min(first_line + 0u, params.batch - 1u) * params.time + params.step - 1u) * params.units;
  var sum_0_0 = T();
  var sum_0_1 = T();
  var sum_0_2 = T();
  for (var k = lane; k < params.units; k += 4u) {
    let state_0 = hs[before_0 + k];
    {
      let column_of_kernel = (k * 1u + 0u) * 3u * params.units + own_unit;
      let weight_0 = recurrent_kernel[column_of_kernel + 0u * params.units];
      let weight_1 = recurrent_kernel[column_of_kernel + 1u * params.units];
      let weight_2 = recurrent_kernel[column_of_kernel + 2u * params.units];
      sum_0_0 += state_0 * weight_0;
      sum_0_1 += state_0 * weight_1;
      sum_0_2 += state_0 * weight_2;
    }
  }
  sums[0u + local] = sum_0_0;
  sums[128u + local] = sum_0_1;
  sums[256u + local] = sum_0_2;
  workgroupBarrier();
  var total_0 = T();
  if (local < 96u) {
    let first = (local / 32u) * 128u + local % 32u;
    for (var other = 0u; other < 4u; other++) {
      total_0 += sums[first + other * 32u];
    }
  }
  workgroupBarrier();
  if (local < 96u) {
    sums[0u + local] = total_0;
  }
  workgroupBarrier();
  let sample = local / 32u;
  let line = first_line + sample;
  let unit = first_unit + local % 32u;
  if (local >= 32u || line >= params.batch || unit >= params.units) {
    return;
  }
  let i = line * params.units + unit;
  // A line is a sample; rows count the steps of all samples.
  let row = line * params.time + params.step;
  let place = row * params.units + unit;
  let product_0 = sums[(sample * 3u + 0u) * 32u + local % 32u] + recurrent_bias[0u * params.units + unit];
  let product_1 = sums[(sample * 3u + 1u) * 32u + local % 32u] + recurrent_bias[1u * params.units + unit];
  let product_2 = sums[(sample * 3u + 2u) * 32u + local % 32u] + recurrent_bias[2u * params.units + unit];
  let previous_state = hs[place - params.units];
  if (mask[row] == 0u) {
    hs[place] = previous_state;
    trace[(row * 5u + 0u) * params.units + unit] = T();
    trace[(row * 5u + 1u) * params.units + unit] = T();
    trace[(row * 5u + 2u) * params.units + unit] = T();
    trace[(row * 5u + 3u) * params.units + unit] = T();
    trace[(row * 5u + 4u) * params.units + unit] = T();
    return;
  }

  let update_gate = sigmoid_of(gates[(row * 3u + 0u) * params.units + unit] + product_0);
  let reset_gate = sigmoid_of(gates[(row * 3u + 1u) * params.units + unit] + product_1);
  let candidate = tanh_of(gates[(row * 3u + 2u) * params.units + unit] + reset_gate * product_2);
  let next_state = candidate + update_gate * (previous_state - candidate);
  hs[place] = next_state;
  trace[(row * 5u + 0u) * params.units + unit] = update_gate;
  trace[(row * 5u + 1u) * params.units + unit] = reset_gate;
  trace[(row * 5u + 2u) * params.units + unit] = candidate;
  trace[(row * 5u + 3u) * params.units + unit] = product_2;
  trace[(row * 5u + 4u) * params.units + unit] = previous_state;
}
