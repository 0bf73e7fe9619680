@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> gamma: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> beta: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  count: u32,
  n: u32,
  inner: u32,
  length: f32,
  epsilon: f32,
}
@group(0) @binding(4) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

alias T = vec4<f32>;
alias U = vec4<u32>;

fn add_elements(a: T, b: T) -> T {
  return a + b;
}

// Of one line: the sum of what its components hold.
fn join_sum(a: T) -> T {
  return T((a.x + a.y) + (a.z + a.w));
}

fn join_max(a: T) -> T {
  return T(max(max(a.x, a.y), max(a.z, a.w)));
}

// value, or NaN where x is infinite.
fn nan_where_infinite(value: T, x: T) -> T {
  var nan = U(0x7fc00000u);
  return select(value, bitcast<T>(nan), (bitcast<U>(x) & U(0x7fffffffu)) == U(0x7f800000u));
}

// value, or x where that is NaN.
fn unless_nan(value: T, x: T) -> T {
  return select(value, x, (bitcast<U>(x) & U(0x7fffffffu)) > U(0x7f800000u));
}

fn lowest_element() -> T {
  var bits = U(0xff800000u);
  return bitcast<T>(bits);
}

var<workgroup> lanes_sum: array<T, 64>;

fn fold_sum(value: T, local: u32, lane: u32) -> T {
  lanes_sum[local] = value;
  workgroupBarrier();
  for (var width = 32u; width > 0u; width >>= 1u) {
    if (lane < width) {
      lanes_sum[local] = add_elements(lanes_sum[local], lanes_sum[local + width * 1u]);
    }
    workgroupBarrier();
  }
  let folded = lanes_sum[local - lane * 1u];
  // The memory may be written again once all have read.
  workgroupBarrier();
  return folded;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let lane = local % 64u;
  let line_in_group = local / 64u;
  let line = flat_group(group, groups) * 1u + line_in_group;
  let start = (line / params.inner) * params.n * params.inner + line % params.inner;
  let n = select(0u, params.n, line < params.count);
  let pivot = T(x[start].x);
  var sum = T();
  for (var k = lane; k < n; k += 64u) {
    sum += x[start + k * params.inner] - pivot;
  }
  // Above the pivot.
  let mean = join_sum(fold_sum(sum, local, lane)) / params.length;
  var squares = T();
  for (var k = lane; k < n; k += 64u) {
    let deviation = x[start + k * params.inner] - pivot - mean;
    squares += deviation * deviation;
  }
  let variance = join_sum(fold_sum(squares, local, lane)) / params.length;
  let scale = inverseSqrt(variance + params.epsilon);
  for (var k = lane; k < n; k += 64u) {
    let i = start + k * params.inner;
    out[i] = (x[i] - pivot - mean) * (scale * T(gamma[k])) + T(beta[k]);
  }
}
