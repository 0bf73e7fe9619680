@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read> d_total: array<f32>;
@group(0) @binding(3) var<storage, read> gamma: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
@group(0) @binding(5) var<storage, read_write> scales: array<f32>;
struct Params {
  count: u32,
  n: u32,
  inner: u32,
  length: f32,
  epsilon: f32,
}
@group(0) @binding(6) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

alias T = f32;
alias U = u32;
alias F = f32;

// Of one line: the sum of what its components hold.
fn join_sum(a: T) -> F {
  return a;
}

fn join_max(a: T) -> F {
  return a;
}

fn add_lines(a: F, b: F) -> F {
  return a + b;
}

fn larger_line(a: F, b: F) -> F {
  return max(a, b);
}

fn fold_squares(value: F, local: u32, lane: u32) -> F {
  return value;
}

fn fold_products(value: F, local: u32, lane: u32) -> F {
  return value;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let lane = local % 1u;
  let line_in_group = local / 1u;
  let line = flat_group(group, groups) * 64u + line_in_group;
  let is_line = true;
  let own_line = line;
  if (line >= params.count) {
    return;
  }
  let start = own_line * params.n;
  let k_0 = 0u;
  let at_0 = start + 0u;
  let k_1 = 1u;
  let at_1 = start + 1u;
  let k_2 = 2u;
  let at_2 = start + 2u;
  let value_0 = x[at_0];
  let g_0 = gamma[min(k_0, params.n - 1u)] * dy[at_0];
  let value_1 = x[at_1];
  let g_1 = gamma[min(k_1, params.n - 1u)] * dy[at_1];
  let value_2 = x[at_2];
  let g_2 = gamma[min(k_2, params.n - 1u)] * dy[at_2];
  let squares = ((value_0 * value_0 + value_1 * value_1) + value_2 * value_2);
  let products = ((g_0 * value_0 + g_1 * value_1) + g_2 * value_2);
  let scale = inverseSqrt(fold_squares(join_sum(squares), local, lane) / params.length + params.epsilon);
  // The mean of g x, times r².
  let weight = fold_products(join_sum(products), local, lane) / params.length * scale * scale;
  out[at_0] = scale * (g_0 - value_0 * weight) + d_total[at_0];
  out[at_1] = scale * (g_1 - value_1 * weight) + d_total[at_1];
  out[at_2] = scale * (g_2 - value_2 * weight) + d_total[at_2];

  if (is_line && lane == 0u) {
    scales[line] = scale;
  }
}
