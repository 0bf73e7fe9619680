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

// Stands for total · exp(high).
struct Exponentials {
  high: T,
  total: T,
}

fn add_exponentials(a: Exponentials, b: Exponentials) -> Exponentials {
  // Equal infinities have no difference.
  let weight = select(exp(-abs(a.high - b.high)), T(1.0), a.high == b.high);
  let total = select(a.total + b.total * weight, a.total * weight + b.total, b.high > a.high);
  return Exponentials(max(a.high, b.high), total);
}

var<workgroup> lanes_exponentials: array<Exponentials, 64>;

fn fold_exponentials(value: Exponentials, local: u32, lane: u32) -> Exponentials {
  lanes_exponentials[local] = value;
  workgroupBarrier();
  for (var width = 32u; width > 0u; width >>= 1u) {
    if (lane < width) {
      lanes_exponentials[local] = add_exponentials(lanes_exponentials[local], lanes_exponentials[local + width * 1u]);
    }
    workgroupBarrier();
  }
  let folded = lanes_exponentials[local - lane * 1u];
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
  var found = Exponentials(lowest_element(), T());
  for (var k = lane; k < n; k += 64u) {
    // max may pass over a NaN; the sum may not.
    let value = x[start + k * params.inner];
    found = add_exponentials(found, Exponentials(value, unless_nan(T(1.0), value)));
  }
  let folded = fold_exponentials(found, local, lane);
  let high = join_max(folded.high);
  let total = join_sum(folded.total * select(exp(folded.high - high), T(1.0), folded.high == high));
  let sum = nan_where_infinite(total, high);
  let scale = 1.0 / sum;
  for (var k = lane; k < n; k += 64u) {
    let i = start + k * params.inner;
    out[i] = exp(x[i] - high) * scale;
  }
}
