@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out_0: array<f32>;
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

fn prepare(value: f32, k: u32) -> f32 {
  return f32(value);
}

fn combine(a: f32, b: f32) -> f32 {
  return a + b;
}

fn finish_0(a: f32) -> f32 {
  return f32(a);
}

var<workgroup> lanes_line: array<f32, 256>;

fn fold_line(value: f32, local: u32, lane: u32) -> f32 {
  lanes_line[local] = value;
  workgroupBarrier();
  if (lane < 128u) {
    lanes_line[local] = combine(lanes_line[local], lanes_line[local + 128u]);
  }
  workgroupBarrier();
  if (lane < 64u) {
    lanes_line[local] = combine(lanes_line[local], lanes_line[local + 64u]);
  }
  workgroupBarrier();
  if (lane < 32u) {
    lanes_line[local] = combine(lanes_line[local], lanes_line[local + 32u]);
  }
  workgroupBarrier();
  if (lane < 16u) {
    lanes_line[local] = combine(lanes_line[local], lanes_line[local + 16u]);
  }
  workgroupBarrier();
  if (lane < 8u) {
    lanes_line[local] = combine(lanes_line[local], lanes_line[local + 8u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_line[local] = combine(lanes_line[local], lanes_line[local + 4u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_line[local] = combine(lanes_line[local], lanes_line[local + 2u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_line[local] = combine(lanes_line[local], lanes_line[local + 1u]);
  }
  workgroupBarrier();
  return lanes_line[local - lane * 1u];
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
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
    let value_0 = x[at];
    let value_1 = x[at + 256u];
    let value_2 = x[at + 512u];
    let value_3 = x[at + 768u];
    let value_4 = x[at + 1024u];
    let value_5 = x[at + 1280u];
    let value_6 = x[at + 1536u];
    let value_7 = x[at + 1792u];
    total_0 = combine(total_0, combine(combine(combine(combine(combine(prepare(value_0.x, 4u * (k) + 0u), prepare(value_0.y, 4u * (k) + 1u)), combine(prepare(value_0.z, 4u * (k) + 2u), prepare(value_0.w, 4u * (k) + 3u))), combine(combine(prepare(value_1.x, 4u * (k + 256u) + 0u), prepare(value_1.y, 4u * (k + 256u) + 1u)), combine(prepare(value_1.z, 4u * (k + 256u) + 2u), prepare(value_1.w, 4u * (k + 256u) + 3u)))), combine(combine(combine(prepare(value_2.x, 4u * (k + 512u) + 0u), prepare(value_2.y, 4u * (k + 512u) + 1u)), combine(prepare(value_2.z, 4u * (k + 512u) + 2u), prepare(value_2.w, 4u * (k + 512u) + 3u))), combine(combine(prepare(value_3.x, 4u * (k + 768u) + 0u), prepare(value_3.y, 4u * (k + 768u) + 1u)), combine(prepare(value_3.z, 4u * (k + 768u) + 2u), prepare(value_3.w, 4u * (k + 768u) + 3u))))), combine(combine(combine(combine(prepare(value_4.x, 4u * (k + 1024u) + 0u), prepare(value_4.y, 4u * (k + 1024u) + 1u)), combine(prepare(value_4.z, 4u * (k + 1024u) + 2u), prepare(value_4.w, 4u * (k + 1024u) + 3u))), combine(combine(prepare(value_5.x, 4u * (k + 1280u) + 0u), prepare(value_5.y, 4u * (k + 1280u) + 1u)), combine(prepare(value_5.z, 4u * (k + 1280u) + 2u), prepare(value_5.w, 4u * (k + 1280u) + 3u)))), combine(combine(combine(prepare(value_6.x, 4u * (k + 1536u) + 0u), prepare(value_6.y, 4u * (k + 1536u) + 1u)), combine(prepare(value_6.z, 4u * (k + 1536u) + 2u), prepare(value_6.w, 4u * (k + 1536u) + 3u))), combine(combine(prepare(value_7.x, 4u * (k + 1792u) + 0u), prepare(value_7.y, 4u * (k + 1792u) + 1u)), combine(prepare(value_7.z, 4u * (k + 1792u) + 2u), prepare(value_7.w, 4u * (k + 1792u) + 3u)))))));
    k += 2048u;
    at += 2048u;
  }
  if (iterations * 2048u < end - begin) {
    let value_0 = x[start + min(k, end - 1u)];
    let value_1 = x[start + min(k + 256u, end - 1u)];
    let value_2 = x[start + min(k + 512u, end - 1u)];
    let value_3 = x[start + min(k + 768u, end - 1u)];
    let value_4 = x[start + min(k + 1024u, end - 1u)];
    let value_5 = x[start + min(k + 1280u, end - 1u)];
    let value_6 = x[start + min(k + 1536u, end - 1u)];
    let value_7 = x[start + min(k + 1792u, end - 1u)];
    total_0 = combine(total_0, combine(combine(combine(combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_0.x, 4u * (k) + 0u), k < end), select(f32(bitcast<f32>(params.initial)), prepare(value_0.y, 4u * (k) + 1u), k < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_0.z, 4u * (k) + 2u), k < end), select(f32(bitcast<f32>(params.initial)), prepare(value_0.w, 4u * (k) + 3u), k < end))), combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_1.x, 4u * (k + 256u) + 0u), k + 256u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_1.y, 4u * (k + 256u) + 1u), k + 256u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_1.z, 4u * (k + 256u) + 2u), k + 256u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_1.w, 4u * (k + 256u) + 3u), k + 256u < end)))), combine(combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_2.x, 4u * (k + 512u) + 0u), k + 512u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_2.y, 4u * (k + 512u) + 1u), k + 512u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_2.z, 4u * (k + 512u) + 2u), k + 512u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_2.w, 4u * (k + 512u) + 3u), k + 512u < end))), combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_3.x, 4u * (k + 768u) + 0u), k + 768u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_3.y, 4u * (k + 768u) + 1u), k + 768u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_3.z, 4u * (k + 768u) + 2u), k + 768u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_3.w, 4u * (k + 768u) + 3u), k + 768u < end))))), combine(combine(combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_4.x, 4u * (k + 1024u) + 0u), k + 1024u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_4.y, 4u * (k + 1024u) + 1u), k + 1024u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_4.z, 4u * (k + 1024u) + 2u), k + 1024u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_4.w, 4u * (k + 1024u) + 3u), k + 1024u < end))), combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_5.x, 4u * (k + 1280u) + 0u), k + 1280u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_5.y, 4u * (k + 1280u) + 1u), k + 1280u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_5.z, 4u * (k + 1280u) + 2u), k + 1280u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_5.w, 4u * (k + 1280u) + 3u), k + 1280u < end)))), combine(combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_6.x, 4u * (k + 1536u) + 0u), k + 1536u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_6.y, 4u * (k + 1536u) + 1u), k + 1536u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_6.z, 4u * (k + 1536u) + 2u), k + 1536u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_6.w, 4u * (k + 1536u) + 3u), k + 1536u < end))), combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_7.x, 4u * (k + 1792u) + 0u), k + 1792u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_7.y, 4u * (k + 1792u) + 1u), k + 1792u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_7.z, 4u * (k + 1792u) + 2u), k + 1792u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_7.w, 4u * (k + 1792u) + 3u), k + 1792u < end)))))));
  }
  let folded = fold_line(total_0, local, lane);
  if (lane == 0u && line < params.count) {
    out_0[1u * line + 0u] = finish_0(folded);
  }
}
