enable subgroups;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out_0: array<f32>;
@group(0) @binding(2) var<storage, read_write> out_1: array<f32>;
struct Params {
  count: u32,
  side: u32,
  n: u32,
  inner: u32,
  chunks: u32,
  initial: u32,
  length: f32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn is_finite(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) < 0x7f800000;
}

fn nan_value() -> f32 {
  var bits = 0x7fc00000u;
  return bitcast<f32>(bits);
}

fn moments_of(x: f32) -> vec4<f32> {
  return vec4<f32>(1.0, 0.0, select(nan_value(), 0.0, is_finite(x)), x);
}

fn merge_moments(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  let count = a.x + b.x;
  let weight = select(b.x / count, 0.0, count == 0.0);
  let delta = (b.w - a.w) + (b.y - a.y);
  let merged = vec4<f32>(count, a.y + delta * weight, a.z + b.z + delta * delta * a.x * weight, a.w);
  return select(merged, b, a.x == 0.0);
}

fn moments_of_four(a: f32, b: f32, c: f32, d: f32) -> vec4<f32> {
  let above = vec3<f32>(b, c, d) - a;
  if ((bitcast<u32>(above.x + above.y + above.z) & 0x7f800000u) == 0x7f800000u) {
    return merge_moments(
      merge_moments(moments_of(a), moments_of(b)),
      merge_moments(moments_of(c), moments_of(d)),
    );
  }
  let offset = 0.25 * (above.x + above.y + above.z);
  let deviations = vec4<f32>(0.0, above) - offset;
  return vec4<f32>(4.0, offset, dot(deviations, deviations), a);
}
fn prepare(value: f32, k: u32) -> vec4<f32> {
  return moments_of(value);
}

fn prepare_four(a: f32, b: f32, c: f32, d: f32) -> vec4<f32> {
  return moments_of_four(a, b, c, d);
}

fn combine(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  return merge_moments(a, b);
}

fn finish_0(a: vec4<f32>) -> f32 {
  return f32(a.w + a.y);
}

fn finish_1(a: vec4<f32>) -> f32 {
  return f32(a.z / params.length);
}

var<workgroup> lanes_line: array<vec4<f32>, 64>;

fn fold_line(value: vec4<f32>, local: u32, lane: u32, size: u32) -> vec4<f32> {
  var folded = value;
  folded = combine(folded, subgroupShuffleXor(folded, 1u));
  folded = combine(folded, subgroupShuffleXor(folded, 2u));
  if (size > 4u) {
    folded = combine(folded, subgroupShuffleXor(folded, 4u));
  }
  if (size > 8u) {
    folded = combine(folded, subgroupShuffleXor(folded, 8u));
  }
  if (size > 16u) {
    folded = combine(folded, subgroupShuffleXor(folded, 16u));
  }
  if (size > 32u) {
    folded = combine(folded, subgroupShuffleXor(folded, 32u));
  }
  if (size > 64u) {
    folded = combine(folded, subgroupShuffleXor(folded, 64u));
  }
  if (size < 256u) {
    if (local % size == 0u) {
      lanes_line[local / size] = folded;
    }
    workgroupBarrier();
    let first = (local - lane) / size;
    folded = lanes_line[first];
    for (var part = 1u; part < 256u / size; part++) {
      folded = combine(folded, lanes_line[first + part]);
    }
  }
  return folded;
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
  @builtin(subgroup_size) subgroup_size: u32,
) {
  let lane = local;
  let line = flat_group(group, groups);
  // A line is one output (or four neighbours): [outer, chunks, inner], row-major. Beyond the last, invocations fold that
  // one too, since all must meet at the barriers.
  let own_line = min(line, params.count - 1u);
  let outer = own_line;

  let start = outer * params.n;

  let begin = 0u;
  let end = params.n;
  var total_0 = vec4<f32>(vec4<f32>());
  var k = begin + lane;
  var at = start + k;

  // All lanes do the same number of iterations, which need no tests; the rest is one more iteration.
  let iterations = (end - begin) / 1024u;
  for (var iteration = 0u; iteration < iterations; iteration++) {
    let value_0 = x[at];
    let value_1 = x[at + 256u];
    let value_2 = x[at + 512u];
    let value_3 = x[at + 768u];
    total_0 = combine(total_0, prepare_four(value_0, value_1, value_2, value_3));
    k += 1024u;
    at += 1024u;
  }
  if (iterations * 1024u < end - begin) {
    let value_0 = x[start + min(k, end - 1u)];
    let value_1 = x[start + min(k + 256u, end - 1u)];
    let value_2 = x[start + min(k + 512u, end - 1u)];
    let value_3 = x[start + min(k + 768u, end - 1u)];
    total_0 = combine(total_0, combine(combine(select(vec4<f32>(vec4<f32>()), prepare(value_0, k), k < end), select(vec4<f32>(vec4<f32>()), prepare(value_1, k + 256u), k + 256u < end)), combine(select(vec4<f32>(vec4<f32>()), prepare(value_2, k + 512u), k + 512u < end), select(vec4<f32>(vec4<f32>()), prepare(value_3, k + 768u), k + 768u < end))));
  }
  let folded = fold_line(total_0, local, lane, subgroup_size);
  if (lane == 0u && line < params.count) {
    out_0[1u * line + 0u] = finish_0(folded);
    out_1[1u * line + 0u] = finish_1(folded);
  }
}
