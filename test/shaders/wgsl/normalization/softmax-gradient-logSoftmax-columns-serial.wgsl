@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
struct Params {
  count: u32,
  n: u32,
  inner: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

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

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let lane = local / 64u;
  let line_in_group = local % 64u;
  let line = flat_group(group, groups) * 64u + line_in_group;
  // Beyond the last line, invocations compute that one too, since all must meet at the barriers; they write nothing.
  let is_line = line < params.count;
  let own_line = min(line, params.count - 1u);
  let start = (own_line / params.inner) * params.n * params.inner + own_line % params.inner;
  var sum = T();
  {
    let turns = params.n / 4u;
    for (var turn = 0u; turn < turns; turn++) {
      let k = turn * 4u + lane;
      let k_0 = k;
      let at_0 = start + k_0 * params.inner;
      let k_1 = k + 1u;
      let at_1 = start + k_1 * params.inner;
      let k_2 = k + 2u;
      let at_2 = start + k_2 * params.inner;
      let k_3 = k + 3u;
      let at_3 = start + k_3 * params.inner;
      let dy_0 = dy[at_0];
      let dy_1 = dy[at_1];
      let dy_2 = dy[at_2];
      let dy_3 = dy[at_3];
      sum += ((dy_0 + dy_1) + (dy_2 + dy_3));
    }
    if (turns * 4u < params.n) {
      let k = turns * 4u + lane;
      let k_0 = k;
      let at_0 = start + min(k_0, params.n - 1u) * params.inner;
      let k_1 = k + 1u;
      let at_1 = start + min(k_1, params.n - 1u) * params.inner;
      let k_2 = k + 2u;
      let at_2 = start + min(k_2, params.n - 1u) * params.inner;
      let k_3 = k + 3u;
      let at_3 = start + min(k_3, params.n - 1u) * params.inner;
      let dy_0 = dy[at_0];
      let dy_1 = dy[at_1];
      let dy_2 = dy[at_2];
      let dy_3 = dy[at_3];
      sum += ((select(T(), dy_0, k_0 < params.n) + select(T(), dy_1, k_1 < params.n)) + (select(T(), dy_2, k_2 < params.n) + select(T(), dy_3, k_3 < params.n)));
    }
  }
  let total = fold_sum(join_sum(sum), local, lane);
  {
    let turns = params.n / 4u;
    for (var turn = 0u; turn < turns; turn++) {
      let k = turn * 4u + lane;
      let k_0 = k;
      let at_0 = start + k_0 * params.inner;
      let k_1 = k + 1u;
      let at_1 = start + k_1 * params.inner;
      let k_2 = k + 2u;
      let at_2 = start + k_2 * params.inner;
      let k_3 = k + 3u;
      let at_3 = start + k_3 * params.inner;
      let dy_0 = dy[at_0];
      let y_0 = y[at_0];
      let dy_1 = dy[at_1];
      let y_1 = y[at_1];
      let dy_2 = dy[at_2];
      let y_2 = y[at_2];
      let dy_3 = dy[at_3];
      let y_3 = y[at_3];
      if (is_line) {
        out[at_0] = dy_0 - exp(y_0) * total;
      }
      if (is_line) {
        out[at_1] = dy_1 - exp(y_1) * total;
      }
      if (is_line) {
        out[at_2] = dy_2 - exp(y_2) * total;
      }
      if (is_line) {
        out[at_3] = dy_3 - exp(y_3) * total;
      }
    }
    if (turns * 4u < params.n) {
      let k = turns * 4u + lane;
      let k_0 = k;
      let at_0 = start + min(k_0, params.n - 1u) * params.inner;
      let k_1 = k + 1u;
      let at_1 = start + min(k_1, params.n - 1u) * params.inner;
      let k_2 = k + 2u;
      let at_2 = start + min(k_2, params.n - 1u) * params.inner;
      let k_3 = k + 3u;
      let at_3 = start + min(k_3, params.n - 1u) * params.inner;
      let dy_0 = dy[at_0];
      let y_0 = y[at_0];
      let dy_1 = dy[at_1];
      let y_1 = y[at_1];
      let dy_2 = dy[at_2];
      let y_2 = y[at_2];
      let dy_3 = dy[at_3];
      let y_3 = y[at_3];
      if (is_line && k_0 < params.n) {
        out[at_0] = dy_0 - exp(y_0) * total;
      }
      if (is_line && k_1 < params.n) {
        out[at_1] = dy_1 - exp(y_1) * total;
      }
      if (is_line && k_2 < params.n) {
        out[at_2] = dy_2 - exp(y_2) * total;
      }
      if (is_line && k_3 < params.n) {
        out[at_3] = dy_3 - exp(y_3) * total;
      }
    }
  }
}
