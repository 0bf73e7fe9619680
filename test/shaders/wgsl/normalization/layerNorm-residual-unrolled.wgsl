@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> residual: array<f32>;
@group(0) @binding(2) var<storage, read> gamma: array<f32>;
@group(0) @binding(3) var<storage, read> beta: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
@group(0) @binding(5) var<storage, read_write> total: array<f32>;
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

fn fold_sum(value: F, local: u32, lane: u32) -> F {
  return value;
}

fn fold_squares(value: F, local: u32, lane: u32) -> F {
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
  let pivot = x[start] + residual[start];
  let k_0 = 0u;
  let at_0 = start + 0u;
  let k_1 = 1u;
  let at_1 = start + 1u;
  let k_2 = 2u;
  let at_2 = start + 2u;
  let value_0 = x[at_0] + residual[at_0];
  let above_0 = value_0 - pivot;
  let value_1 = x[at_1] + residual[at_1];
  let above_1 = value_1 - pivot;
  let value_2 = x[at_2] + residual[at_2];
  let above_2 = value_2 - pivot;
  let sum = ((above_0 + above_1) + above_2);
  // Relative to the pivot.
  let mean = fold_sum(join_sum(sum), local, lane) / params.length;
  let deviation_0 = above_0 - mean;
  let deviation_1 = above_1 - mean;
  let deviation_2 = above_2 - mean;
  let squares = ((deviation_0 * deviation_0 + deviation_1 * deviation_1) + deviation_2 * deviation_2);
  let variance = fold_squares(join_sum(squares), local, lane) / params.length;
  let scale = inverseSqrt(variance + params.epsilon);
  out[at_0] = deviation_0 * (scale * gamma[k_0]) + beta[k_0];
  total[at_0] = value_0;
  out[at_1] = deviation_1 * (scale * gamma[k_1]) + beta[k_1];
  total[at_1] = value_1;
  out[at_2] = deviation_2 * (scale * gamma[k_2]) + beta[k_2];
  total[at_2] = value_2;
}
