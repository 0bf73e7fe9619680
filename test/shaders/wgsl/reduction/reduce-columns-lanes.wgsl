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

struct Lines {
  line_0: f32,
  line_1: f32,
  line_2: f32,
  line_3: f32,
}

fn combine_lines(a: Lines, b: Lines) -> Lines {
  return Lines(combine(a.line_0, b.line_0), combine(a.line_1, b.line_1), combine(a.line_2, b.line_2), combine(a.line_3, b.line_3));
}

var<workgroup> lanes_line: array<Lines, 64>;

fn fold_line(value: Lines, local: u32, lane: u32) -> Lines {
  lanes_line[local] = value;
  workgroupBarrier();
  if (lane < 2u) {
    lanes_line[local] = combine_lines(lanes_line[local], lanes_line[local + 32u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_line[local] = combine_lines(lanes_line[local], lanes_line[local + 16u]);
  }
  workgroupBarrier();
  return lanes_line[local - lane * 16u];
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let lane = local / 16u;
  let line_in_group = local % 16u;
  let line = flat_group(group, groups) * 16u + line_in_group;
  // A line is one output (or four neighbours): [outer, chunks, inner], row-major. Beyond the last, invocations fold that
  // one too, since all must meet at the barriers.
  let own_line = min(line, params.count - 1u);
  let outer = own_line / params.inner;

  let column = own_line % params.inner;
  let start = outer * params.n * params.inner + column;

  let begin = 0u;
  let end = params.n;
  var total_0 = f32(bitcast<f32>(params.initial));
  var total_1 = f32(bitcast<f32>(params.initial));
  var total_2 = f32(bitcast<f32>(params.initial));
  var total_3 = f32(bitcast<f32>(params.initial));
  var k = begin + lane;
  var at = start + k * params.inner;
  let stride_1 = 4u * params.inner;
  let stride_2 = 8u * params.inner;
  let stride_3 = 12u * params.inner;
  let stride_4 = 16u * params.inner;
  let stride_5 = 20u * params.inner;
  let stride_6 = 24u * params.inner;
  let stride_7 = 28u * params.inner;
  let stride_8 = 32u * params.inner;
  // All lanes do the same number of iterations, which need no tests; the rest is one more iteration.
  let iterations = (end - begin) / 32u;
  for (var iteration = 0u; iteration < iterations; iteration++) {
    let value_0 = x[at];
    let value_1 = x[at + stride_1];
    let value_2 = x[at + stride_2];
    let value_3 = x[at + stride_3];
    let value_4 = x[at + stride_4];
    let value_5 = x[at + stride_5];
    let value_6 = x[at + stride_6];
    let value_7 = x[at + stride_7];
    total_0 = combine(total_0, combine(combine(combine(prepare(value_0.x, k), prepare(value_1.x, k + 4u)), combine(prepare(value_2.x, k + 8u), prepare(value_3.x, k + 12u))), combine(combine(prepare(value_4.x, k + 16u), prepare(value_5.x, k + 20u)), combine(prepare(value_6.x, k + 24u), prepare(value_7.x, k + 28u)))));
    total_1 = combine(total_1, combine(combine(combine(prepare(value_0.y, k), prepare(value_1.y, k + 4u)), combine(prepare(value_2.y, k + 8u), prepare(value_3.y, k + 12u))), combine(combine(prepare(value_4.y, k + 16u), prepare(value_5.y, k + 20u)), combine(prepare(value_6.y, k + 24u), prepare(value_7.y, k + 28u)))));
    total_2 = combine(total_2, combine(combine(combine(prepare(value_0.z, k), prepare(value_1.z, k + 4u)), combine(prepare(value_2.z, k + 8u), prepare(value_3.z, k + 12u))), combine(combine(prepare(value_4.z, k + 16u), prepare(value_5.z, k + 20u)), combine(prepare(value_6.z, k + 24u), prepare(value_7.z, k + 28u)))));
    total_3 = combine(total_3, combine(combine(combine(prepare(value_0.w, k), prepare(value_1.w, k + 4u)), combine(prepare(value_2.w, k + 8u), prepare(value_3.w, k + 12u))), combine(combine(prepare(value_4.w, k + 16u), prepare(value_5.w, k + 20u)), combine(prepare(value_6.w, k + 24u), prepare(value_7.w, k + 28u)))));
    k += 32u;
    at += stride_8;
  }
  if (iterations * 32u < end - begin) {
    let value_0 = x[start + min(k, end - 1u) * params.inner];
    let value_1 = x[start + min(k + 4u, end - 1u) * params.inner];
    let value_2 = x[start + min(k + 8u, end - 1u) * params.inner];
    let value_3 = x[start + min(k + 12u, end - 1u) * params.inner];
    let value_4 = x[start + min(k + 16u, end - 1u) * params.inner];
    let value_5 = x[start + min(k + 20u, end - 1u) * params.inner];
    let value_6 = x[start + min(k + 24u, end - 1u) * params.inner];
    let value_7 = x[start + min(k + 28u, end - 1u) * params.inner];
    total_0 = combine(total_0, combine(combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_0.x, k), k < end), select(f32(bitcast<f32>(params.initial)), prepare(value_1.x, k + 4u), k + 4u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_2.x, k + 8u), k + 8u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_3.x, k + 12u), k + 12u < end))), combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_4.x, k + 16u), k + 16u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_5.x, k + 20u), k + 20u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_6.x, k + 24u), k + 24u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_7.x, k + 28u), k + 28u < end)))));
    total_1 = combine(total_1, combine(combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_0.y, k), k < end), select(f32(bitcast<f32>(params.initial)), prepare(value_1.y, k + 4u), k + 4u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_2.y, k + 8u), k + 8u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_3.y, k + 12u), k + 12u < end))), combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_4.y, k + 16u), k + 16u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_5.y, k + 20u), k + 20u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_6.y, k + 24u), k + 24u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_7.y, k + 28u), k + 28u < end)))));
    total_2 = combine(total_2, combine(combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_0.z, k), k < end), select(f32(bitcast<f32>(params.initial)), prepare(value_1.z, k + 4u), k + 4u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_2.z, k + 8u), k + 8u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_3.z, k + 12u), k + 12u < end))), combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_4.z, k + 16u), k + 16u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_5.z, k + 20u), k + 20u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_6.z, k + 24u), k + 24u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_7.z, k + 28u), k + 28u < end)))));
    total_3 = combine(total_3, combine(combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_0.w, k), k < end), select(f32(bitcast<f32>(params.initial)), prepare(value_1.w, k + 4u), k + 4u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_2.w, k + 8u), k + 8u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_3.w, k + 12u), k + 12u < end))), combine(combine(select(f32(bitcast<f32>(params.initial)), prepare(value_4.w, k + 16u), k + 16u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_5.w, k + 20u), k + 20u < end)), combine(select(f32(bitcast<f32>(params.initial)), prepare(value_6.w, k + 24u), k + 24u < end), select(f32(bitcast<f32>(params.initial)), prepare(value_7.w, k + 28u), k + 28u < end)))));
  }
  let folded = fold_line(Lines(total_0, total_1, total_2, total_3), local, lane);
  if (lane == 0u && line < params.count) {
    out_0[4u * line + 0u] = finish_0(folded.line_0);
    out_0[4u * line + 1u] = finish_0(folded.line_1);
    out_0[4u * line + 2u] = finish_0(folded.line_2);
    out_0[4u * line + 3u] = finish_0(folded.line_3);
  }
}
