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
  var highest = T(-0x1.fffffep127);
  {
    var k = 0u;
    let whole = max(params.n, 3u) - 3u;
    for (; k < whole; k += 4u) {
      let k_0 = k;
      let at_0 = start + k_0;
      let k_1 = k + 1u;
      let at_1 = start + k_1;
      let k_2 = k + 2u;
      let at_2 = start + k_2;
      let k_3 = k + 3u;
      let at_3 = start + k_3;
      let value_0 = x[at_0];
      let value_1 = x[at_1];
      let value_2 = x[at_2];
      let value_3 = x[at_3];
      highest = larger(highest, larger(larger(value_0, value_1), larger(value_2, value_3)));
    }
    for (; k < params.n; k++) {
      let k_0 = k;
      let at_0 = start + k_0;
      let value_0 = x[at_0];
      highest = larger(highest, value_0);
    }
  }
  let high = join_max(highest);
  var sums = T();
  {
    var k = 0u;
    let whole = max(params.n, 3u) - 3u;
    for (; k < whole; k += 4u) {
      let k_0 = k;
      let at_0 = start + k_0;
      let k_1 = k + 1u;
      let at_1 = start + k_1;
      let k_2 = k + 2u;
      let at_2 = start + k_2;
      let k_3 = k + 3u;
      let at_3 = start + k_3;
      let value_0 = x[at_0];
      let value_1 = x[at_1];
      let value_2 = x[at_2];
      let value_3 = x[at_3];
      let exponential_0 = select(exp(value_0 - high), value_0, (bitcast<U>(value_0) & U(0x7fffffffu)) > U(0x7f800000u));
      let exponential_1 = select(exp(value_1 - high), value_1, (bitcast<U>(value_1) & U(0x7fffffffu)) > U(0x7f800000u));
      let exponential_2 = select(exp(value_2 - high), value_2, (bitcast<U>(value_2) & U(0x7fffffffu)) > U(0x7f800000u));
      let exponential_3 = select(exp(value_3 - high), value_3, (bitcast<U>(value_3) & U(0x7fffffffu)) > U(0x7f800000u));
      out[at_0] = exponential_0;
      out[at_1] = exponential_1;
      out[at_2] = exponential_2;
      out[at_3] = exponential_3;
      sums += ((exponential_0 + exponential_1) + (exponential_2 + exponential_3));
    }
    for (; k < params.n; k++) {
      let k_0 = k;
      let at_0 = start + k_0;
      let value_0 = x[at_0];
      let exponential_0 = select(exp(value_0 - high), value_0, (bitcast<U>(value_0) & U(0x7fffffffu)) > U(0x7f800000u));
      out[at_0] = exponential_0;
      sums += exponential_0;
    }
  }
  let total = join_sum(sums);

  // The largest element adds 1: a sum of 0 has -∞ alone.
  let is_undefined = is_infinite_line(high) | is_nan_line(total) | (total == F());
  let scale = nan_where(1.0 / total, is_undefined);
  {
    var k = 0u;
    let whole = max(params.n, 3u) - 3u;
    for (; k < whole; k += 4u) {
      let k_0 = k;
      let at_0 = start + k_0;
      let k_1 = k + 1u;
      let at_1 = start + k_1;
      let k_2 = k + 2u;
      let at_2 = start + k_2;
      let k_3 = k + 3u;
      let at_3 = start + k_3;
      out[at_0] = out[at_0] * scale;
      out[at_1] = out[at_1] * scale;
      out[at_2] = out[at_2] * scale;
      out[at_3] = out[at_3] * scale;
    }
    for (; k < params.n; k++) {
      let k_0 = k;
      let at_0 = start + k_0;
      out[at_0] = out[at_0] * scale;
    }
  }
}
