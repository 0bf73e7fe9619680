enable subgroups;
@group(0) @binding(0) var<storage, read> in_0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> in_1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out_0: array<f32>;
struct Params {
  scalars_low: array<vec4<u32>, 2>,
  scalars_high: array<vec4<u32>, 2>,
  shape_0: array<vec4<u32>, 2>,
  strides_0: array<vec4<u32>, 2>,
  shape_1: array<vec4<u32>, 2>,
  strides_1: array<vec4<u32>, 2>,
  count: u32,
  side: u32,
  n: u32,
  inner: u32,
  chunks: u32,
  initial: u32,
  length: f32,
  no_bits: u32,
}
@group(0) @binding(3) var<uniform> params: Params;
fn apply_0(a: f32, b: f32) -> f32 {
  return a * b;
}

fn rounded(value: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(value) ^ u32(params.no_bits));
}

fn element(i0: f32, i1: f32) -> f32 {
  let v0 = apply_0(i0, i1);
  return rounded(v0);
}

fn x_at(at: u32) -> vec4<f32> {
  let i0 = in_0[at];
  let i1 = in_1[at];
  return vec4<f32>(element(i0.x, i1.x), element(i0.y, i1.y), element(i0.z, i1.z), element(i0.w, i1.w));
}

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn prepare(value: f32, k: u32) -> f32 {
  return f32(value);
}

fn combine(a: f32, b: f32) -> f32 {
  return a + b;
}

fn finish_0(a: f32) -> f32 {
  return f32(a);
}

var<workgroup> lanes_line: array<f32, 64>;

fn fold_line(value: f32, local: u32, lane: u32, size: u32) -> f32 {
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
  var total_0 = f32(bitcast<f32>(params.initial));
  var k = begin + lane;
  var at = start + k;

  // All lanes do the same number of iterations, which need no tests; the rest is one more iteration.
  let iterations = (end - begin) / 2048u;
  for (var iteration = 0u; iteration < iterations; iteration++) {
    let value_0 = x_at(at);
    let value_1 = x_at(at + 256u);
    let value_2 = x_at(at + 512u);
    let value_3 = x_at(at + 768u);
    let value_4 = x_at(at + 1024u);
    let value_5 = x_at(at + 1280u);
    let value_6 = x_at(at + 1536u);
    let value_7 = x_at(at + 1792u);
    total_0 = combine(total_0, combine(combine(combine(combine(combine(prepare(value_0.x, 4u * (k) + 0u), prepare(value_0.y, 4u * (k) + 1u)), combine(prepare(value_0.z, 4u * (k) + 2u), prepare(value_0.w, 4u * (k) + 3u))), combine(combine(prepare(value_1.x, 4u * (k + 256u) + 0u), prepare(value_1.y, 4u * (k + 256u) + 1u)), combine(prepare(value_1.z, 4u * (k + 256u) + 2u), prepare(value_1.w, 4u * (k + 256u) + 3u)))), combine(combine(combine(prepare(value_2.x, 4u * (k + 512u) + 0u), prepare(value_2.y, 4u * (k + 512u) + 1u)), combine(prepare(value_2.z, 4u * (k + 512u) + 2u), prepare(value_2.w, 4u * (k + 512u) + 3u))), combine(combine(prepare(value_3.x, 4u * (k + 768u) + 0u), prepare(value_3.y, 4u * (k + 768u) + 1u)), combine(prepare(value_3.z, 4u * (k + 768u) + 2u), prepare(value_3.w, 4u * (k + 768u) + 3u))))), combine(combine(combine(combine(prepare(value_4.x, 4u * (k + 1024u) + 0u), prepare(value_4.y, 4u * (k + 1024u) + 1u)), combine(prepare(value_4.z, 4u * (k + 1024u) + 2u), prepare(value_4.w, 4u * (k + 1024u) + 3u))), combine(combine(prepare(value_5.x, 4u * (k + 1280u) + 0u), prepare(value_5.y, 4u * (k + 1280u) + 1u)), combine(prepare(value_5.z, 4u * (k + 1280u) + 2u), prepare(value_5.w, 4u * (k + 1280u) + 3u)))), combine(combine(combine(prepare(value_6.x, 4u * (k + 1536u) + 0u), prepare(value_6.y, 4u * (k + 1536u) + 1u)), combine(prepare(value_6.z, 4u * (k + 1536u) + 2u), prepare(value_6.w, 4u * (k + 1536u) + 3u))), combine(combine(prepare(value_7.x, 4u * (k + 1792u) + 0u), prepare(value_7.y, 4u * (k + 1792u) + 1u)), combine(prepare(value_7.z, 4u * (k + 1792u) + 2u), prepare(value_7.w, 4u * (k + 1792u) + 3u)))))));
    k += 2048u;
    at += 2048u;
  }
  if (iterations * 2048u < end - begin) {
    let value_0 = x_at(start + min(k, end - 1u));
    let value_1 = x_at(start + min(k + 256u, end - 1u));
    let value_2 = x_at(start + min(k + 512u, end - 1u));
    let value_3 = x_at(start + min(k + 768u, end - 1u));
    let value_4 = x_at(start + min(k + 1024u, end - 1u));
    let value_5 = x_at(start + min(k + 1280u, end - 1u));
    let value_6 = x_at(start + min(k + 1536u, end - 1u));
    let value_7 = x_at(start + min(k + 1792u, end - 1u));
    total_0 = combine(total_0, combine(combine(combine(combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_0.x, 4u * (k) + 0u), k < end), select(f32(bitcast<f32>(params.initial)), prepare(value_0.y, 4u * (k) + 1u), k < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_0.z, 4u * (k) + 2u), k < end), select(f32(bitcast<f32>(params.initial)), prepare(value_0.w, 4u * (k) + 3u), k < end))), combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_1.x, 4u * (k + 256u) + 0u), k + 256u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_1.y, 4u * (k + 256u) + 1u), k + 256u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_1.z, 4u * (k + 256u) + 2u), k + 256u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_1.w, 4u * (k + 256u) + 3u), k + 256u < end)))), combine(combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_2.x, 4u * (k + 512u) + 0u), k + 512u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_2.y, 4u * (k + 512u) + 1u), k + 512u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_2.z, 4u * (k + 512u) + 2u), k + 512u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_2.w, 4u * (k + 512u) + 3u), k + 512u < end))), combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_3.x, 4u * (k + 768u) + 0u), k + 768u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_3.y, 4u * (k + 768u) + 1u), k + 768u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_3.z, 4u * (k + 768u) + 2u), k + 768u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_3.w, 4u * (k + 768u) + 3u), k + 768u < end))))), combine(combine(combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_4.x, 4u * (k + 1024u) + 0u), k + 1024u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_4.y, 4u * (k + 1024u) + 1u), k + 1024u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_4.z, 4u * (k + 1024u) + 2u), k + 1024u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_4.w, 4u * (k + 1024u) + 3u), k + 1024u < end))), combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_5.x, 4u * (k + 1280u) + 0u), k + 1280u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_5.y, 4u * (k + 1280u) + 1u), k + 1280u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_5.z, 4u * (k + 1280u) + 2u), k + 1280u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_5.w, 4u * (k + 1280u) + 3u), k + 1280u < end)))), combine(combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_6.x, 4u * (k + 1536u) + 0u), k + 1536u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_6.y, 4u * (k + 1536u) + 1u), k + 1536u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_6.z, 4u * (k + 1536u) + 2u), k + 1536u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_6.w, 4u * (k + 1536u) + 3u), k + 1536u < end))), combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_7.x, 4u * (k + 1792u) + 0u), k + 1792u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_7.y, 4u * (k + 1792u) + 1u), k + 1792u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_7.z, 4u * (k + 1792u) + 2u), k + 1792u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_7.w, 4u * (k + 1792u) + 3u), k + 1792u < end)))))));
  }
  let folded = fold_line(total_0, local, lane, subgroup_size);
  if (lane == 0u && line < params.count) {
    out_0[1u * line + 0u] = finish_0(folded);
  }
}
