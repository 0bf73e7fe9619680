@group(0) @binding(0) var<storage, read> x_0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out_0_0: array<f32>;
@group(0) @binding(2) var<storage, read> x_1: array<f32>;
@group(0) @binding(3) var<storage, read_write> out_0_1: array<f32>;
struct Params {
  count_0: u32,
  n_0: u32,
  inner_0: u32,
  chunks_0: u32,
  initial_0: u32,
  length_0: f32,
  end_0: u32,
  count_1: u32,
  n_1: u32,
  inner_1: u32,
  chunks_1: u32,
  initial_1: u32,
  length_1: f32,
  end_1: u32,
}
@group(0) @binding(4) var<uniform> params: Params;

fn flat_group_0(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index_0(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group_0(group, groups) * workgroup_size + local;
}

fn prepare_0(value: f32, k: u32) -> f32 {
  return f32(value);
}

fn combine_0(a: f32, b: f32) -> f32 {
  return a + b;
}

fn finish_0_0(a: f32) -> f32 {
  return f32(a / params.length_0);
}

struct Lines_0 {
  line_0: f32,
  line_1: f32,
  line_2: f32,
  line_3: f32,
}

fn combine_lines_0(a: Lines_0, b: Lines_0) -> Lines_0 {
  return Lines_0(combine_0(a.line_0, b.line_0), combine_0(a.line_1, b.line_1), combine_0(a.line_2, b.line_2), combine_0(a.line_3, b.line_3));
}

var<workgroup> lanes_line_0: array<Lines_0, 256>;

fn fold_line_0(value: Lines_0, local: u32, lane: u32) -> Lines_0 {
  lanes_line_0[local] = value;
  workgroupBarrier();
  if (lane < 16u) {
    lanes_line_0[local] = combine_lines_0(lanes_line_0[local], lanes_line_0[local + 128u]);
  }
  workgroupBarrier();
  if (lane < 8u) {
    lanes_line_0[local] = combine_lines_0(lanes_line_0[local], lanes_line_0[local + 64u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_line_0[local] = combine_lines_0(lanes_line_0[local], lanes_line_0[local + 32u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_line_0[local] = combine_lines_0(lanes_line_0[local], lanes_line_0[local + 16u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_line_0[local] = combine_lines_0(lanes_line_0[local], lanes_line_0[local + 8u]);
  }
  workgroupBarrier();
  return lanes_line_0[local - lane * 8u];
}

fn flat_group_1(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index_1(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group_1(group, groups) * workgroup_size + local;
}

fn prepare_1(value: f32, k: u32) -> f32 {
  return f32(value);
}

fn combine_1(a: f32, b: f32) -> f32 {
  return a + b;
}

fn finish_0_1(a: f32) -> f32 {
  return f32(a);
}

var<workgroup> lanes_line_1: array<f32, 256>;

fn fold_line_1(value: f32, local: u32, lane: u32) -> f32 {
  lanes_line_1[local] = value;
  workgroupBarrier();
  if (lane < 16u) {
    lanes_line_1[local] = combine_1(lanes_line_1[local], lanes_line_1[local + 128u]);
  }
  workgroupBarrier();
  if (lane < 8u) {
    lanes_line_1[local] = combine_1(lanes_line_1[local], lanes_line_1[local + 64u]);
  }
  workgroupBarrier();
  if (lane < 4u) {
    lanes_line_1[local] = combine_1(lanes_line_1[local], lanes_line_1[local + 32u]);
  }
  workgroupBarrier();
  if (lane < 2u) {
    lanes_line_1[local] = combine_1(lanes_line_1[local], lanes_line_1[local + 16u]);
  }
  workgroupBarrier();
  if (lane < 1u) {
    lanes_line_1[local] = combine_1(lanes_line_1[local], lanes_line_1[local + 8u]);
  }
  workgroupBarrier();
  return lanes_line_1[local - lane * 8u];
}

fn part_0(group: vec3<u32>, groups: vec3<u32>, local: u32) {
  let lane = local / 8u;
  let line_in_group = local % 8u;
  let line = flat_group_0(group, groups) * 8u + line_in_group;
  // A line is one output (or four neighbours): [outer, chunks, inner], row-major. Beyond the last, invocations fold that
  // one too, since all must meet at the barriers.
  let own_line = min(line, params.count_0 - 1u);
  let outer = own_line / params.inner_0;

  let column = own_line % params.inner_0;
  let start = outer * params.n_0 * params.inner_0 + column;

  let begin = 0u;
  let end = params.n_0;
  var total_0 = f32(bitcast<f32>(params.initial_0));
  var total_1 = f32(bitcast<f32>(params.initial_0));
  var total_2 = f32(bitcast<f32>(params.initial_0));
  var total_3 = f32(bitcast<f32>(params.initial_0));
  var k = begin + lane;
  var at = start + k * params.inner_0;
  let stride_1 = 32u * params.inner_0;
  let stride_2 = 64u * params.inner_0;
  let stride_3 = 96u * params.inner_0;
  let stride_4 = 128u * params.inner_0;
  let stride_5 = 160u * params.inner_0;
  let stride_6 = 192u * params.inner_0;
  let stride_7 = 224u * params.inner_0;
  let stride_8 = 256u * params.inner_0;
  // All lanes do the same number of iterations, which need no tests; the rest is one more iteration.
  let iterations = (end - begin) / 256u;
  for (var iteration = 0u; iteration < iterations; iteration++) {
    let value_0 = x_0[at];
    let value_1 = x_0[at + stride_1];
    let value_2 = x_0[at + stride_2];
    let value_3 = x_0[at + stride_3];
    let value_4 = x_0[at + stride_4];
    let value_5 = x_0[at + stride_5];
    let value_6 = x_0[at + stride_6];
    let value_7 = x_0[at + stride_7];
    total_0 = combine_0(total_0, combine_0(combine_0(combine_0(prepare_0(value_0.x, k), prepare_0(value_1.x, k + 32u)), combine_0(prepare_0(value_2.x, k + 64u), prepare_0(value_3.x, k + 96u))), combine_0(combine_0(prepare_0(value_4.x, k + 128u), prepare_0(value_5.x, k + 160u)), combine_0(prepare_0(value_6.x, k + 192u), prepare_0(value_7.x, k + 224u)))));
    total_1 = combine_0(total_1, combine_0(combine_0(combine_0(prepare_0(value_0.y, k), prepare_0(value_1.y, k + 32u)), combine_0(prepare_0(value_2.y, k + 64u), prepare_0(value_3.y, k + 96u))), combine_0(combine_0(prepare_0(value_4.y, k + 128u), prepare_0(value_5.y, k + 160u)), combine_0(prepare_0(value_6.y, k + 192u), prepare_0(value_7.y, k + 224u)))));
    total_2 = combine_0(total_2, combine_0(combine_0(combine_0(prepare_0(value_0.z, k), prepare_0(value_1.z, k + 32u)), combine_0(prepare_0(value_2.z, k + 64u), prepare_0(value_3.z, k + 96u))), combine_0(combine_0(prepare_0(value_4.z, k + 128u), prepare_0(value_5.z, k + 160u)), combine_0(prepare_0(value_6.z, k + 192u), prepare_0(value_7.z, k + 224u)))));
    total_3 = combine_0(total_3, combine_0(combine_0(combine_0(prepare_0(value_0.w, k), prepare_0(value_1.w, k + 32u)), combine_0(prepare_0(value_2.w, k + 64u), prepare_0(value_3.w, k + 96u))), combine_0(combine_0(prepare_0(value_4.w, k + 128u), prepare_0(value_5.w, k + 160u)), combine_0(prepare_0(value_6.w, k + 192u), prepare_0(value_7.w, k + 224u)))));
    k += 256u;
    at += stride_8;
  }
  if (iterations * 256u < end - begin) {
    let value_0 = x_0[start + min(k, end - 1u) * params.inner_0];
    let value_1 = x_0[start + min(k + 32u, end - 1u) * params.inner_0];
    let value_2 = x_0[start + min(k + 64u, end - 1u) * params.inner_0];
    let value_3 = x_0[start + min(k + 96u, end - 1u) * params.inner_0];
    let value_4 = x_0[start + min(k + 128u, end - 1u) * params.inner_0];
    let value_5 = x_0[start + min(k + 160u, end - 1u) * params.inner_0];
    let value_6 = x_0[start + min(k + 192u, end - 1u) * params.inner_0];
    let value_7 = x_0[start + min(k + 224u, end - 1u) * params.inner_0];
    total_0 = combine_0(total_0, combine_0(combine_0(combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_0.x, k), k < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_1.x, k + 32u), k + 32u < end)), combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_2.x, k + 64u), k + 64u < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_3.x, k + 96u), k + 96u < end))), combine_0(combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_4.x, k + 128u), k + 128u < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_5.x, k + 160u), k + 160u < end)), combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_6.x, k + 192u), k + 192u < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_7.x, k + 224u), k + 224u < end)))));
    total_1 = combine_0(total_1, combine_0(combine_0(combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_0.y, k), k < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_1.y, k + 32u), k + 32u < end)), combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_2.y, k + 64u), k + 64u < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_3.y, k + 96u), k + 96u < end))), combine_0(combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_4.y, k + 128u), k + 128u < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_5.y, k + 160u), k + 160u < end)), combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_6.y, k + 192u), k + 192u < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_7.y, k + 224u), k + 224u < end)))));
    total_2 = combine_0(total_2, combine_0(combine_0(combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_0.z, k), k < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_1.z, k + 32u), k + 32u < end)), combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_2.z, k + 64u), k + 64u < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_3.z, k + 96u), k + 96u < end))), combine_0(combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_4.z, k + 128u), k + 128u < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_5.z, k + 160u), k + 160u < end)), combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_6.z, k + 192u), k + 192u < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_7.z, k + 224u), k + 224u < end)))));
    total_3 = combine_0(total_3, combine_0(combine_0(combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_0.w, k), k < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_1.w, k + 32u), k + 32u < end)), combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_2.w, k + 64u), k + 64u < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_3.w, k + 96u), k + 96u < end))), combine_0(combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_4.w, k + 128u), k + 128u < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_5.w, k + 160u), k + 160u < end)), combine_0(select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_6.w, k + 192u), k + 192u < end), select(f32(bitcast<f32>(params.initial_0)), prepare_0(value_7.w, k + 224u), k + 224u < end)))));
  }
  let folded = fold_line_0(Lines_0(total_0, total_1, total_2, total_3), local, lane);
  if (lane == 0u && line < params.count_0) {
    out_0_0[4u * line + 0u] = finish_0_0(folded.line_0);
    out_0_0[4u * line + 1u] = finish_0_0(folded.line_1);
    out_0_0[4u * line + 2u] = finish_0_0(folded.line_2);
    out_0_0[4u * line + 3u] = finish_0_0(folded.line_3);
  }
}

fn part_1(group: vec3<u32>, groups: vec3<u32>, local: u32) {
  let lane = local / 8u;
  let line_in_group = local % 8u;
  let line = flat_group_1(group, groups) * 8u + line_in_group;
  // A line is one output (or four neighbours): [outer, chunks, inner], row-major. Beyond the last, invocations fold that
  // one too, since all must meet at the barriers.
  let own_line = min(line, params.count_1 - 1u);
  let outer = own_line / params.inner_1;

  let column = own_line % params.inner_1;
  let start = outer * params.n_1 * params.inner_1 + column;

  let begin = 0u;
  let end = params.n_1;
  var total_0 = f32(bitcast<f32>(params.initial_1));
  var k = begin + lane;
  var at = start + k * params.inner_1;
  let stride_1 = 32u * params.inner_1;
  let stride_2 = 64u * params.inner_1;
  let stride_3 = 96u * params.inner_1;
  let stride_4 = 128u * params.inner_1;
  // All lanes do the same number of iterations, which need no tests; the rest is one more iteration.
  let iterations = (end - begin) / 128u;
  for (var iteration = 0u; iteration < iterations; iteration++) {
    let value_0 = x_1[at];
    let value_1 = x_1[at + stride_1];
    let value_2 = x_1[at + stride_2];
    let value_3 = x_1[at + stride_3];
    total_0 = combine_1(total_0, combine_1(combine_1(prepare_1(value_0, k), prepare_1(value_1, k + 32u)), combine_1(prepare_1(value_2, k + 64u), prepare_1(value_3, k + 96u))));
    k += 128u;
    at += stride_4;
  }
  if (iterations * 128u < end - begin) {
    let value_0 = x_1[start + min(k, end - 1u) * params.inner_1];
    let value_1 = x_1[start + min(k + 32u, end - 1u) * params.inner_1];
    let value_2 = x_1[start + min(k + 64u, end - 1u) * params.inner_1];
    let value_3 = x_1[start + min(k + 96u, end - 1u) * params.inner_1];
    total_0 = combine_1(total_0, combine_1(combine_1(select(f32(bitcast<f32>(params.initial_1)), prepare_1(value_0, k), k < end), select(f32(bitcast<f32>(params.initial_1)), prepare_1(value_1, k + 32u), k + 32u < end)), combine_1(select(f32(bitcast<f32>(params.initial_1)), prepare_1(value_2, k + 64u), k + 64u < end), select(f32(bitcast<f32>(params.initial_1)), prepare_1(value_3, k + 96u), k + 96u < end))));
  }
  let folded = fold_line_1(total_0, local, lane);
  if (lane == 0u && line < params.count_1) {
    out_0_1[1u * line + 0u] = finish_0_1(folded);
  }
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  if (group.x < params.end_0) {
    part_0(vec3<u32>(group.x - 0u, 0u, 0u), groups, local);
    return;
  }
  if (group.x < params.end_1) {
    part_1(vec3<u32>(group.x - params.end_0, 0u, 0u), groups, local);
    return;
  }
}
