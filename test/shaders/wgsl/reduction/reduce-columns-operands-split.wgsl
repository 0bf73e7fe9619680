@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b_values: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> c_values: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> d_values: array<f32>;
@group(0) @binding(4) var<storage, read_write> out_0: array<f32>;
@group(0) @binding(5) var<storage, read_write> out_1: array<f32>;
struct Params {
  count: u32,
  side: u32,
  n: u32,
  inner: u32,
  chunks: u32,
  initial: u32,
  length: f32,
}
@group(0) @binding(6) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn prepare(value: f32, k: u32, b: f32, c: f32, d: f32) -> vec2<f32> {
  return vec2<f32>(value * ((b - c) * d), value);
}

fn combine(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  return a + b;
}

fn finish_0(a: vec2<f32>) -> f32 {
  return f32(a.x);
}

fn finish_1(a: vec2<f32>) -> f32 {
  return f32(a.y);
}

struct Lines {
  line_0: vec2<f32>,
  line_1: vec2<f32>,
  line_2: vec2<f32>,
  line_3: vec2<f32>,
}

fn combine_lines(a: Lines, b: Lines) -> Lines {
  return Lines(combine(a.line_0, b.line_0), combine(a.line_1, b.line_1), combine(a.line_2, b.line_2), combine(a.line_3, b.line_3));
}

var<workgroup> lanes_line: array<Lines, 256>;

fn fold_line(value: Lines, local: u32, lane: u32) -> Lines {
  lanes_line[local] = value;
  workgroupBarrier();
  if (lane < 16u) {
    lanes_line[local] = combine_lines(lanes_line[local], lanes_line[local + 128u]);
  }
  workgroupBarrier();
  if (lane < 8u) {
    lanes_line[local] = combine_lines(lanes_line[local], lanes_line[local + 64u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_line[local] = combine_lines(lanes_line[local], lanes_line[local + 32u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_line[local] = combine_lines(lanes_line[local], lanes_line[local + 16u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_line[local] = combine_lines(lanes_line[local], lanes_line[local + 8u]);
  }
  workgroupBarrier();
  return lanes_line[local - lane * 8u];
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
  // A line is one output (or four neighbours): [outer, chunks, inner], row-major. Beyond the last, invocations fold that
  // one too, since all must meet at the barriers.
  let own_line = min(line, params.count - 1u);
  let chunk = (own_line / params.inner) % params.chunks;
  let outer = own_line / params.inner / params.chunks;

  let column = own_line % params.inner;
  let start = outer * params.n * params.inner + column;

  // Each chunk is a stretch of the axis; the last may be short, or empty.
  let length = (params.n + params.chunks - 1u) / params.chunks;
  let begin = min(params.n, chunk * length);
  let end = min(params.n, begin + length);
  let c_line = c_values[outer * params.inner + column];
  var total_0 = vec2<f32>(vec2<f32>());
  var total_1 = vec2<f32>(vec2<f32>());
  var total_2 = vec2<f32>(vec2<f32>());
  var total_3 = vec2<f32>(vec2<f32>());
  var k = begin + lane;
  var at = start + k * params.inner;
  let stride_1 = 32u * params.inner;
  let stride_2 = 64u * params.inner;
  let stride_3 = 96u * params.inner;
  let stride_4 = 128u * params.inner;
  // All lanes do the same number of iterations, which need no tests; the rest is one more iteration.
  let iterations = (end - begin) / 128u;
  for (var iteration = 0u; iteration < iterations; iteration++) {
    let value_0 = x[at];
    let value_0_b = b_values[at];
    let value_0_d = d_values[k];
    let value_1 = x[at + stride_1];
    let value_1_b = b_values[at + stride_1];
    let value_1_d = d_values[k + 32u];
    let value_2 = x[at + stride_2];
    let value_2_b = b_values[at + stride_2];
    let value_2_d = d_values[k + 64u];
    let value_3 = x[at + stride_3];
    let value_3_b = b_values[at + stride_3];
    let value_3_d = d_values[k + 96u];
    total_0 = combine(total_0, combine(combine(prepare(value_0.x, k, value_0_b.x, c_line.x, value_0_d), prepare(value_1.x, k + 32u, value_1_b.x, c_line.x, value_1_d)), combine(prepare(value_2.x, k + 64u, value_2_b.x, c_line.x, value_2_d), prepare(value_3.x, k + 96u, value_3_b.x, c_line.x, value_3_d))));
    total_1 = combine(total_1, combine(combine(prepare(value_0.y, k, value_0_b.y, c_line.y, value_0_d), prepare(value_1.y, k + 32u, value_1_b.y, c_line.y, value_1_d)), combine(prepare(value_2.y, k + 64u, value_2_b.y, c_line.y, value_2_d), prepare(value_3.y, k + 96u, value_3_b.y, c_line.y, value_3_d))));
    total_2 = combine(total_2, combine(combine(prepare(value_0.z, k, value_0_b.z, c_line.z, value_0_d), prepare(value_1.z, k + 32u, value_1_b.z, c_line.z, value_1_d)), combine(prepare(value_2.z, k + 64u, value_2_b.z, c_line.z, value_2_d), prepare(value_3.z, k + 96u, value_3_b.z, c_line.z, value_3_d))));
    total_3 = combine(total_3, combine(combine(prepare(value_0.w, k, value_0_b.w, c_line.w, value_0_d), prepare(value_1.w, k + 32u, value_1_b.w, c_line.w, value_1_d)), combine(prepare(value_2.w, k + 64u, value_2_b.w, c_line.w, value_2_d), prepare(value_3.w, k + 96u, value_3_b.w, c_line.w, value_3_d))));
    k += 128u;
    at += stride_4;
  }
  if (iterations * 128u < end - begin) {
    let value_0 = x[start + min(k, end - 1u) * params.inner];
    let value_0_b = b_values[start + min(k, end - 1u) * params.inner];
    let value_0_d = d_values[k];
    let value_1 = x[start + min(k + 32u, end - 1u) * params.inner];
    let value_1_b = b_values[start + min(k + 32u, end - 1u) * params.inner];
    let value_1_d = d_values[k + 32u];
    let value_2 = x[start + min(k + 64u, end - 1u) * params.inner];
    let value_2_b = b_values[start + min(k + 64u, end - 1u) * params.inner];
    let value_2_d = d_values[k + 64u];
    let value_3 = x[start + min(k + 96u, end - 1u) * params.inner];
    let value_3_b = b_values[start + min(k + 96u, end - 1u) * params.inner];
    let value_3_d = d_values[k + 96u];
    total_0 = combine(total_0, combine(combine(select(vec2<f32>(vec2<f32>()), prepare(value_0.x, k, value_0_b.x, c_line.x, value_0_d), k < end), select(vec2<f32>(vec2<f32>()), prepare(value_1.x, k + 32u, value_1_b.x, c_line.x, value_1_d), k + 32u < end)), combine(select(vec2<f32>(vec2<f32>()), prepare(value_2.x, k + 64u, value_2_b.x, c_line.x, value_2_d), k + 64u < end), select(vec2<f32>(vec2<f32>()), prepare(value_3.x, k + 96u, value_3_b.x, c_line.x, value_3_d), k + 96u < end))));
    total_1 = combine(total_1, combine(combine(select(vec2<f32>(vec2<f32>()), prepare(value_0.y, k, value_0_b.y, c_line.y, value_0_d), k < end), select(vec2<f32>(vec2<f32>()), prepare(value_1.y, k + 32u, value_1_b.y, c_line.y, value_1_d), k + 32u < end)), combine(select(vec2<f32>(vec2<f32>()), prepare(value_2.y, k + 64u, value_2_b.y, c_line.y, value_2_d), k + 64u < end), select(vec2<f32>(vec2<f32>()), prepare(value_3.y, k + 96u, value_3_b.y, c_line.y, value_3_d), k + 96u < end))));
    total_2 = combine(total_2, combine(combine(select(vec2<f32>(vec2<f32>()), prepare(value_0.z, k, value_0_b.z, c_line.z, value_0_d), k < end), select(vec2<f32>(vec2<f32>()), prepare(value_1.z, k + 32u, value_1_b.z, c_line.z, value_1_d), k + 32u < end)), combine(select(vec2<f32>(vec2<f32>()), prepare(value_2.z, k + 64u, value_2_b.z, c_line.z, value_2_d), k + 64u < end), select(vec2<f32>(vec2<f32>()), prepare(value_3.z, k + 96u, value_3_b.z, c_line.z, value_3_d), k + 96u < end))));
    total_3 = combine(total_3, combine(combine(select(vec2<f32>(vec2<f32>()), prepare(value_0.w, k, value_0_b.w, c_line.w, value_0_d), k < end), select(vec2<f32>(vec2<f32>()), prepare(value_1.w, k + 32u, value_1_b.w, c_line.w, value_1_d), k + 32u < end)), combine(select(vec2<f32>(vec2<f32>()), prepare(value_2.w, k + 64u, value_2_b.w, c_line.w, value_2_d), k + 64u < end), select(vec2<f32>(vec2<f32>()), prepare(value_3.w, k + 96u, value_3_b.w, c_line.w, value_3_d), k + 96u < end))));
  }
  let folded = fold_line(Lines(total_0, total_1, total_2, total_3), local, lane);
  if (lane == 0u && line < params.count) {
    out_0[4u * line + 0u] = finish_0(folded.line_0);
    out_1[4u * line + 0u] = finish_1(folded.line_0);
    out_0[4u * line + 1u] = finish_0(folded.line_1);
    out_1[4u * line + 1u] = finish_1(folded.line_1);
    out_0[4u * line + 2u] = finish_0(folded.line_2);
    out_1[4u * line + 2u] = finish_1(folded.line_2);
    out_0[4u * line + 3u] = finish_0(folded.line_3);
    out_1[4u * line + 3u] = finish_1(folded.line_3);
  }
}
