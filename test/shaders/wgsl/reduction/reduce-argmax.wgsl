enable subgroups;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out_0: array<i32>;
struct Params {
  count: u32,
  side: u32,
  n: u32,
  inner: u32,
  chunks: u32,
  initial: u32,
  length: f32,
}
@group(0) @binding(2) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn is_nan(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffff) > 0x7f800000;
}

fn ordered_bits(x: f32) -> u32 {
  let bits = select(bitcast<u32>(x), 0u, x == 0.0);
  let key = select(bits | 0x80000000u, ~bits, bitcast<i32>(bits) < 0);
  return select(key, 0xffffffffu, is_nan(x));
}
fn prepare(value: f32, k: u32) -> vec2<u32> {
  return vec2<u32>(ordered_bits(value), k);
}

fn combine(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(b, a, (a.x > b.x) | ((a.x == b.x) & (a.y < b.y)));
}

fn finish_0(a: vec2<u32>) -> i32 {
  return i32(a.y);
}

var<workgroup> lanes_line: array<vec2<u32>, 64>;

fn fold_line(value: vec2<u32>, local: u32, lane: u32, size: u32) -> vec2<u32> {
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
  var total_0 = vec2<u32>(vec2<u32>(0u, 0xffffffffu));
  var k = begin + lane;
  var at = start + k;

  // All lanes do the same number of iterations, which need no tests; the rest is one more iteration.
  let iterations = (end - begin) / 1024u;
  for (var iteration = 0u; iteration < iterations; iteration++) {
    let value_0 = x[at];
    let value_1 = x[at + 256u];
    let value_2 = x[at + 512u];
    let value_3 = x[at + 768u];
    total_0 = combine(total_0, combine(combine(prepare(value_0, k), prepare(value_1, k + 256u)), combine(prepare(value_2, k + 512u), prepare(value_3, k + 768u))));
    k += 1024u;
    at += 1024u;
  }
  if (iterations * 1024u < end - begin) {
    let value_0 = x[start + min(k, end - 1u)];
    let value_1 = x[start + min(k + 256u, end - 1u)];
    let value_2 = x[start + min(k + 512u, end - 1u)];
    let value_3 = x[start + min(k + 768u, end - 1u)];
    total_0 = combine(total_0, combine(combine(select(vec2<u32>(vec2<u32>(0u, 0xffffffffu)), prepare(value_0, k), k < end), select(vec2<u32>(vec2<u32>(0u, 0xffffffffu)), prepare(value_1, k + 256u), k + 256u < end)), combine(select(vec2<u32>(vec2<u32>(0u, 0xffffffffu)), prepare(value_2, k + 512u), k + 512u < end), select(vec2<u32>(vec2<u32>(0u, 0xffffffffu)), prepare(value_3, k + 768u), k + 768u < end))));
  }
  let folded = fold_line(total_0, local, lane, subgroup_size);
  if (lane == 0u && line < params.count) {
    out_0[1u * line + 0u] = finish_0(folded);
  }
}
