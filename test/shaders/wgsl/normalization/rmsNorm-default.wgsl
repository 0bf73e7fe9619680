enable subgroups;
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> residual: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> gamma: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> total: array<vec4<f32>>;
struct Params {
  count: u32,
  n: u32,
  inner: u32,
  length: f32,
  epsilon: f32,
}
@group(0) @binding(5) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

alias T = vec4<f32>;
alias U = vec4<u32>;
alias F = f32;

// Of one line: the sum of what its components hold.
fn join_sum(a: T) -> F {
  return (a.x + a.y) + (a.z + a.w);
}

fn join_max(a: T) -> F {
  return max(max(a.x, a.y), max(a.z, a.w));
}

fn add_lines(a: F, b: F) -> F {
  return a + b;
}

fn larger_line(a: F, b: F) -> F {
  return max(a, b);
}

var<workgroup> lanes_squares: array<F, 16>;

fn fold_squares(value: F, local: u32, lane: u32, size: u32) -> F {
  var folded = value;
  folded = add_lines(folded, subgroupShuffleXor(folded, 1u));
  folded = add_lines(folded, subgroupShuffleXor(folded, 2u));
  if (size > 4u) {
    folded = add_lines(folded, subgroupShuffleXor(folded, 4u));
  }
  if (size > 8u) {
    folded = add_lines(folded, subgroupShuffleXor(folded, 8u));
  }
  if (size > 16u) {
    folded = add_lines(folded, subgroupShuffleXor(folded, 16u));
  }
  if (size > 32u) {
    folded = add_lines(folded, subgroupShuffleXor(folded, 32u));
  }
  if (size < 64u) {
    if (local % size == 0u) {
      lanes_squares[local / size] = folded;
    }
    workgroupBarrier();
    let first = (local - lane) / size;
    folded = lanes_squares[first];
    for (var part = 1u; part < 64u / size; part++) {
      folded = add_lines(folded, lanes_squares[first + part]);
    }
  }
  return folded;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
  @builtin(subgroup_size) subgroup_size: u32,
) {
  let lane = local;
  let line = flat_group(group, groups);
  // Beyond the last line, invocations compute that one too, since all must meet at the barriers; they write nothing.
  let is_line = line < params.count;
  let own_line = min(line, params.count - 1u);
  let start = own_line * params.n;
  let k_0 = lane;
  let at_0 = start + min(k_0, params.n - 1u);
  let k_1 = lane + 64u;
  let at_1 = start + min(k_1, params.n - 1u);
  let value_0 = x[at_0] + residual[at_0];
  let value_1 = x[at_1] + residual[at_1];
  let squares = (select(T(), value_0 * value_0, k_0 < params.n) + select(T(), value_1 * value_1, k_1 < params.n));
  let scale = inverseSqrt(fold_squares(join_sum(squares), local, lane, subgroup_size) / params.length + params.epsilon);
  if (is_line && k_0 < params.n) {
    out[at_0] = value_0 * (scale * gamma[k_0]);
    total[at_0] = value_0;
  }
  if (is_line && k_1 < params.n) {
    out[at_1] = value_1 * (scale * gamma[k_1]);
    total[at_1] = value_1;
  }
}
