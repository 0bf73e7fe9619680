@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  count: u32,
  n: u32,
  inner: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

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

fn nan_where(value: F, is_undefined: bool) -> F {
  var bits = u32(0x7fc00000u);
  return select(value, bitcast<F>(bits), is_undefined);
}

fn is_infinite_line(x: F) -> bool {
  return (bitcast<u32>(x) & u32(0x7fffffffu)) == u32(0x7f800000u);
}

fn is_nan_line(x: F) -> bool {
  return (bitcast<u32>(x) & u32(0x7fffffffu)) > u32(0x7f800000u);
}

var<workgroup> lanes_max: array<F, 64>;

fn fold_max(value: F, local: u32, lane: u32) -> F {
  lanes_max[local] = value;
  workgroupBarrier();
  if (lane < 32u) {
    lanes_max[local] = larger_line(lanes_max[local], lanes_max[local + 32u]);
  }
  workgroupBarrier();
  if (lane < 16u) {
    lanes_max[local] = larger_line(lanes_max[local], lanes_max[local + 16u]);
  }
  workgroupBarrier();
  if (lane < 8u) {
    lanes_max[local] = larger_line(lanes_max[local], lanes_max[local + 8u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_max[local] = larger_line(lanes_max[local], lanes_max[local + 4u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_max[local] = larger_line(lanes_max[local], lanes_max[local + 2u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_max[local] = larger_line(lanes_max[local], lanes_max[local + 1u]);
  }
  workgroupBarrier();
  return lanes_max[local - lane * 1u];
}

var<workgroup> lanes_sum: array<F, 64>;

fn fold_sum(value: F, local: u32, lane: u32) -> F {
  lanes_sum[local] = value;
  workgroupBarrier();
  if (lane < 32u) {
    lanes_sum[local] = add_lines(lanes_sum[local], lanes_sum[local + 32u]);
  }
  workgroupBarrier();
  if (lane < 16u) {
    lanes_sum[local] = add_lines(lanes_sum[local], lanes_sum[local + 16u]);
  }
  workgroupBarrier();
  if (lane < 8u) {
    lanes_sum[local] = add_lines(lanes_sum[local], lanes_sum[local + 8u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_sum[local] = add_lines(lanes_sum[local], lanes_sum[local + 4u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_sum[local] = add_lines(lanes_sum[local], lanes_sum[local + 2u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_sum[local] = add_lines(lanes_sum[local], lanes_sum[local + 1u]);
  }
  workgroupBarrier();
  return lanes_sum[local - lane * 1u];
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let lane = local;
  let line = flat_group(group, groups);
  // Beyond the last line, invocations compute that one too, since all must meet at the barriers; they write nothing.
  let is_line = line < params.count;
  let own_line = min(line, params.count - 1u);
  let start = own_line * params.n;
  let k_0 = lane;
  let at_0 = start + min(k_0, params.n - 1u);
  let value_0 = x[at_0];
  let high = fold_max(max(join_max(value_0), F(-0x1.fffffep127)), local, lane);
  let exponential_0 = select(T(), select(exp(value_0 - high), value_0, (bitcast<U>(value_0) & U(0x7fffffffu)) > U(0x7f800000u)), k_0 < params.n);
  let total = fold_sum(join_sum(exponential_0), local, lane);

  // The largest element adds 1: a sum of 0 has -∞ alone.
  let is_undefined = is_infinite_line(high) | is_nan_line(total) | (total == F());
  let scale = nan_where(1.0 / total, is_undefined);
  if (is_line && k_0 < params.n) {
    out[at_0] = exponential_0 * scale;
  }
}
