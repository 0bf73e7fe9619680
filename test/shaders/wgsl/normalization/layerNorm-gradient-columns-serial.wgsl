@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
struct Params {
  count: u32,
  n: u32,
  inner: u32,
  length: f32,
  epsilon: f32,
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

fn fold_g(value: F, local: u32, lane: u32) -> F {
  return value;
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
  let lane = local / 64u;
  let line_in_group = local % 64u;
  let line = flat_group(group, groups) * 64u + line_in_group;
  // Beyond the last line, invocations compute that one too, since all must meet at the barriers; they write nothing.
  let is_line = line < params.count;
  let own_line = min(line, params.count - 1u);
  let start = (own_line / params.inner) * params.n * params.inner + own_line % params.inner;
  let pivot = x[start];
  var sum = T();
  var g_sum = T();
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
      let above_0 = x[at_0] - pivot;
      let above_1 = x[at_1] - pivot;
      let above_2 = x[at_2] - pivot;
      let above_3 = x[at_3] - pivot;
      let g_0 = dy[at_0];
      let g_1 = dy[at_1];
      let g_2 = dy[at_2];
      let g_3 = dy[at_3];
      sum += ((above_0 + above_1) + (above_2 + above_3));
      g_sum += ((g_0 + g_1) + (g_2 + g_3));
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
      let above_0 = x[at_0] - pivot;
      let above_1 = x[at_1] - pivot;
      let above_2 = x[at_2] - pivot;
      let above_3 = x[at_3] - pivot;
      let g_0 = dy[at_0];
      let g_1 = dy[at_1];
      let g_2 = dy[at_2];
      let g_3 = dy[at_3];
      sum += ((select(T(), above_0, k_0 < params.n) + select(T(), above_1, k_1 < params.n)) + (select(T(), above_2, k_2 < params.n) + select(T(), above_3, k_3 < params.n)));
      g_sum += ((select(T(), g_0, k_0 < params.n) + select(T(), g_1, k_1 < params.n)) + (select(T(), g_2, k_2 < params.n) + select(T(), g_3, k_3 < params.n)));
    }
  }
  // Above the pivot.
  let mean = fold_sum(join_sum(sum), local, lane) / params.length;
  let g_mean = fold_g(join_sum(g_sum), local, lane) / params.length;
  var squares = T();
  var products = T();
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
      let above_0 = x[at_0] - pivot;
      let above_1 = x[at_1] - pivot;
      let above_2 = x[at_2] - pivot;
      let above_3 = x[at_3] - pivot;
      let g_0 = dy[at_0];
      let g_1 = dy[at_1];
      let g_2 = dy[at_2];
      let g_3 = dy[at_3];
      let deviation_0 = above_0 - mean;
      let deviation_1 = above_1 - mean;
      let deviation_2 = above_2 - mean;
      let deviation_3 = above_3 - mean;
      squares += ((deviation_0 * deviation_0 + deviation_1 * deviation_1) + (deviation_2 * deviation_2 + deviation_3 * deviation_3));
      products += ((g_0 * deviation_0 + g_1 * deviation_1) + (g_2 * deviation_2 + g_3 * deviation_3));
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
      let above_0 = x[at_0] - pivot;
      let above_1 = x[at_1] - pivot;
      let above_2 = x[at_2] - pivot;
      let above_3 = x[at_3] - pivot;
      let g_0 = dy[at_0];
      let g_1 = dy[at_1];
      let g_2 = dy[at_2];
      let g_3 = dy[at_3];
      let deviation_0 = above_0 - mean;
      let deviation_1 = above_1 - mean;
      let deviation_2 = above_2 - mean;
      let deviation_3 = above_3 - mean;
      squares += ((select(T(), deviation_0 * deviation_0, k_0 < params.n) + select(T(), deviation_1 * deviation_1, k_1 < params.n)) + (select(T(), deviation_2 * deviation_2, k_2 < params.n) + select(T(), deviation_3 * deviation_3, k_3 < params.n)));
      products += ((select(T(), g_0 * deviation_0, k_0 < params.n) + select(T(), g_1 * deviation_1, k_1 < params.n)) + (select(T(), g_2 * deviation_2, k_2 < params.n) + select(T(), g_3 * deviation_3, k_3 < params.n)));
    }
  }
  let variance = fold_squares(join_sum(squares), local, lane) / params.length;
  let scale = inverseSqrt(variance + params.epsilon);
  // The mean of g x̂, times r.
  let weight = fold_products(join_sum(products), local, lane) / params.length * scale * scale;
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
      let above_0 = x[at_0] - pivot;
      let above_1 = x[at_1] - pivot;
      let above_2 = x[at_2] - pivot;
      let above_3 = x[at_3] - pivot;
      let g_0 = dy[at_0];
      let g_1 = dy[at_1];
      let g_2 = dy[at_2];
      let g_3 = dy[at_3];
      let deviation_0 = above_0 - mean;
      let deviation_1 = above_1 - mean;
      let deviation_2 = above_2 - mean;
      let deviation_3 = above_3 - mean;
      if (is_line) {
        out[at_0] = scale * (g_0 - g_mean - deviation_0 * weight);
      }
      if (is_line) {
        out[at_1] = scale * (g_1 - g_mean - deviation_1 * weight);
      }
      if (is_line) {
        out[at_2] = scale * (g_2 - g_mean - deviation_2 * weight);
      }
      if (is_line) {
        out[at_3] = scale * (g_3 - g_mean - deviation_3 * weight);
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
      let above_0 = x[at_0] - pivot;
      let above_1 = x[at_1] - pivot;
      let above_2 = x[at_2] - pivot;
      let above_3 = x[at_3] - pivot;
      let g_0 = dy[at_0];
      let g_1 = dy[at_1];
      let g_2 = dy[at_2];
      let g_3 = dy[at_3];
      let deviation_0 = above_0 - mean;
      let deviation_1 = above_1 - mean;
      let deviation_2 = above_2 - mean;
      let deviation_3 = above_3 - mean;
      if (is_line && k_0 < params.n) {
        out[at_0] = scale * (g_0 - g_mean - deviation_0 * weight);
      }
      if (is_line && k_1 < params.n) {
        out[at_1] = scale * (g_1 - g_mean - deviation_1 * weight);
      }
      if (is_line && k_2 < params.n) {
        out[at_2] = scale * (g_2 - g_mean - deviation_2 * weight);
      }
      if (is_line && k_3 < params.n) {
        out[at_3] = scale * (g_3 - g_mean - deviation_3 * weight);
      }
    }
  }
}
