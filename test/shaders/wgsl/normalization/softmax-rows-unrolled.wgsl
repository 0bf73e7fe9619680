@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
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

fn fold_max(value: F, local: u32, lane: u32) -> F {
  return value;
}

fn fold_sum(value: F, local: u32, lane: u32) -> F {
  return value;
}

fn larger(a: T, b: T) -> T {
  return select(b, a, a > b);
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
  let value_1 = x[at_1];
  let value_2 = x[at_2];
  let high = fold_max(max(join_max(larger(larger(value_0, value_1), value_2)), F(-0x1.fffffep127)), local, lane);
  let exponential_0 = select(exp(value_0 - high), value_0, (bitcast<U>(value_0) & U(0x7fffffffu)) > U(0x7f800000u));
  let exponential_1 = select(exp(value_1 - high), value_1, (bitcast<U>(value_1) & U(0x7fffffffu)) > U(0x7f800000u));
  let exponential_2 = select(exp(value_2 - high), value_2, (bitcast<U>(value_2) & U(0x7fffffffu)) > U(0x7f800000u));
  let total = fold_sum(join_sum(((exponential_0 + exponential_1) + exponential_2)), local, lane);

  // The largest element adds 1: a sum of 0 has -∞ alone.
  let is_undefined = is_infinite_line(high) | is_nan_line(total) | (total == F());
  let scale = nan_where(1.0 / total, is_undefined);
  out[at_0] = exponential_0 * scale;
  out[at_1] = exponential_1 * scale;
  out[at_2] = exponential_2 * scale;
}
