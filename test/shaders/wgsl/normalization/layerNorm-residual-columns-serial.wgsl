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
alias F = T;

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
  let lane = local / 64u;
  let line_in_group = local % 64u;
  let line = flat_group(group, groups) * 64u + line_in_group;
  let is_line = true;
  let own_line = line;
  if (line >= params.count) {
    return;
  }
  let start = (own_line / params.inner) * params.n * params.inner + own_line % params.inner;
  let pivot = x[start] + residual[start];
  var sum = T();
  for (var k = 0u; k < params.n; k++) {
    let k_0 = k;
    let at_0 = start + k_0 * params.inner;
    let value_0 = x[at_0] + residual[at_0];
    let above_0 = value_0 - pivot;
    sum += above_0;
  }
  // Relative to the pivot.
  let mean = fold_sum(join_sum(sum), local, lane) / params.length;
  var squares = T();
  for (var k = 0u; k < params.n; k++) {
    let k_0 = k;
    let at_0 = start + k_0 * params.inner;
    let value_0 = x[at_0] + residual[at_0];
    let above_0 = value_0 - pivot;
    let deviation_0 = above_0 - mean;
    squares += deviation_0 * deviation_0;
  }
  let variance = fold_squares(join_sum(squares), local, lane) / params.length;
  let scale = inverseSqrt(variance + params.epsilon);
  for (var k = 0u; k < params.n; k++) {
    let k_0 = k;
    let at_0 = start + k_0 * params.inner;
    let value_0 = x[at_0] + residual[at_0];
    let above_0 = value_0 - pivot;
    let deviation_0 = above_0 - mean;
    out[at_0] = deviation_0 * (scale * gamma[k_0]) + beta[k_0];
    total[at_0] = value_0;
  }
}
