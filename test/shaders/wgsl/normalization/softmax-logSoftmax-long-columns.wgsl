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

fn nan_where(value: F, is_undefined: vec4<bool>) -> F {
  var bits = vec4<u32>(0x7fc00000u);
  return select(value, bitcast<F>(bits), is_undefined);
}

fn is_infinite_line(x: F) -> vec4<bool> {
  return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) == vec4<u32>(0x7f800000u);
}

fn is_nan_line(x: F) -> vec4<bool> {
  return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u);
}

var<workgroup> lanes_max: array<F, 256>;

fn fold_max(value: F, local: u32, lane: u32) -> F {
  lanes_max[local] = value;
  workgroupBarrier();
  if (lane < 16u) {
    lanes_max[local] = larger_line(lanes_max[local], lanes_max[local + 128u]);
  }
  workgroupBarrier();
  if (lane < 8u) {
    lanes_max[local] = larger_line(lanes_max[local], lanes_max[local + 64u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_max[local] = larger_line(lanes_max[local], lanes_max[local + 32u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_max[local] = larger_line(lanes_max[local], lanes_max[local + 16u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_max[local] = larger_line(lanes_max[local], lanes_max[local + 8u]);
  }
  workgroupBarrier();
  return lanes_max[local - lane * 8u];
}

var<workgroup> lanes_sum: array<F, 256>;

fn fold_sum(value: F, local: u32, lane: u32) -> F {
  lanes_sum[local] = value;
  workgroupBarrier();
  if (lane < 16u) {
    lanes_sum[local] = add_lines(lanes_sum[local], lanes_sum[local + 128u]);
  }
  workgroupBarrier();
  if (lane < 8u) {
    lanes_sum[local] = add_lines(lanes_sum[local], lanes_sum[local + 64u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_sum[local] = add_lines(lanes_sum[local], lanes_sum[local + 32u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_sum[local] = add_lines(lanes_sum[local], lanes_sum[local + 16u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_sum[local] = add_lines(lanes_sum[local], lanes_sum[local + 8u]);
  }
  workgroupBarrier();
  return lanes_sum[local - lane * 8u];
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let lane = local / 8u;
  let line_in_group = local % 8u;
  let line = flat_group(group, groups) * 8u + line_in_group;
  // Beyond the last line, invocations compute that one too, since all must meet at the barriers; they write nothing.
  let is_line = line < params.count;
  let own_line = min(line, params.count - 1u);
  let start = (own_line / params.inner) * params.n * params.inner + own_line % params.inner;
  // The sum is one of exponentials above the largest element so far.
  var own_high = T(-0x1.fffffep127);
  var own_total = T();
  {
    let iterations = params.n / 128u;
    for (var iteration = 0u; iteration < iterations; iteration++) {
      let k = iteration * 128u + lane;
      let k_0 = k;
      let at_0 = start + k_0 * params.inner;
      let k_1 = k + 32u;
      let at_1 = start + k_1 * params.inner;
      let k_2 = k + 64u;
      let at_2 = start + k_2 * params.inner;
      let k_3 = k + 96u;
      let at_3 = start + k_3 * params.inner;
      let value_0 = x[at_0];
      let value_1 = x[at_1];
      let value_2 = x[at_2];
      let value_3 = x[at_3];
      let higher = max(own_high, max(max(value_0, value_1), max(value_2, value_3)));
      let exponential_0 = select(exp(value_0 - higher), value_0, (bitcast<U>(value_0) & U(0x7fffffffu)) > U(0x7f800000u));
      let exponential_1 = select(exp(value_1 - higher), value_1, (bitcast<U>(value_1) & U(0x7fffffffu)) > U(0x7f800000u));
      let exponential_2 = select(exp(value_2 - higher), value_2, (bitcast<U>(value_2) & U(0x7fffffffu)) > U(0x7f800000u));
      let exponential_3 = select(exp(value_3 - higher), value_3, (bitcast<U>(value_3) & U(0x7fffffffu)) > U(0x7f800000u));
      own_total = own_total * exp(own_high - higher) + ((exponential_0 + exponential_1) + (exponential_2 + exponential_3));
      own_high = higher;
    }
    if (iterations * 128u < params.n) {
      let k = iterations * 128u + lane;
      let k_0 = k;
      let at_0 = start + min(k_0, params.n - 1u) * params.inner;
      let k_1 = k + 32u;
      let at_1 = start + min(k_1, params.n - 1u) * params.inner;
      let k_2 = k + 64u;
      let at_2 = start + min(k_2, params.n - 1u) * params.inner;
      let k_3 = k + 96u;
      let at_3 = start + min(k_3, params.n - 1u) * params.inner;
      let value_0 = x[at_0];
      let value_1 = x[at_1];
      let value_2 = x[at_2];
      let value_3 = x[at_3];
      let higher = max(own_high, max(max(value_0, value_1), max(value_2, value_3)));
      let exponential_0 = select(exp(value_0 - higher), value_0, (bitcast<U>(value_0) & U(0x7fffffffu)) > U(0x7f800000u));
      let exponential_1 = select(exp(value_1 - higher), value_1, (bitcast<U>(value_1) & U(0x7fffffffu)) > U(0x7f800000u));
      let exponential_2 = select(exp(value_2 - higher), value_2, (bitcast<U>(value_2) & U(0x7fffffffu)) > U(0x7f800000u));
      let exponential_3 = select(exp(value_3 - higher), value_3, (bitcast<U>(value_3) & U(0x7fffffffu)) > U(0x7f800000u));
      own_total = own_total * exp(own_high - higher) + ((select(T(), exponential_0, k_0 < params.n) + select(T(), exponential_1, k_1 < params.n)) + (select(T(), exponential_2, k_2 < params.n) + select(T(), exponential_3, k_3 < params.n)));
      own_high = higher;
    }
  }
  let high = fold_max(join_max(own_high), local, lane);
  let total = fold_sum(join_sum(own_total * exp(own_high - high)), local, lane);

  // The largest element adds 1: a sum of 0 has -∞ alone.
  let is_undefined = is_infinite_line(high) | is_nan_line(total) | (total == F());
  let logarithm = nan_where(log(total), is_undefined);
  {
    let iterations = params.n / 128u;
    for (var iteration = 0u; iteration < iterations; iteration++) {
      let k = iteration * 128u + lane;
      let k_0 = k;
      let at_0 = start + k_0 * params.inner;
      let k_1 = k + 32u;
      let at_1 = start + k_1 * params.inner;
      let k_2 = k + 64u;
      let at_2 = start + k_2 * params.inner;
      let k_3 = k + 96u;
      let at_3 = start + k_3 * params.inner;
      let value_0 = x[at_0];
      let value_1 = x[at_1];
      let value_2 = x[at_2];
      let value_3 = x[at_3];
      if (is_line) {
        out[at_0] = value_0 - high - logarithm;
      }
      if (is_line) {
        out[at_1] = value_1 - high - logarithm;
      }
      if (is_line) {
        out[at_2] = value_2 - high - logarithm;
      }
      if (is_line) {
        out[at_3] = value_3 - high - logarithm;
      }
    }
    if (iterations * 128u < params.n) {
      let k = iterations * 128u + lane;
      let k_0 = k;
      let at_0 = start + min(k_0, params.n - 1u) * params.inner;
      let k_1 = k + 32u;
      let at_1 = start + min(k_1, params.n - 1u) * params.inner;
      let k_2 = k + 64u;
      let at_2 = start + min(k_2, params.n - 1u) * params.inner;
      let k_3 = k + 96u;
      let at_3 = start + min(k_3, params.n - 1u) * params.inner;
      let value_0 = x[at_0];
      let value_1 = x[at_1];
      let value_2 = x[at_2];
      let value_3 = x[at_3];
      if (is_line && k_0 < params.n) {
        out[at_0] = value_0 - high - logarithm;
      }
      if (is_line && k_1 < params.n) {
        out[at_1] = value_1 - high - logarithm;
      }
      if (is_line && k_2 < params.n) {
        out[at_2] = value_2 - high - logarithm;
      }
      if (is_line && k_3 < params.n) {
        out[at_3] = value_3 - high - logarithm;
      }
    }
  }
}
