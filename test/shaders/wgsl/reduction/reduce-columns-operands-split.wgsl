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

var<workgroup> lanes_line: array<vec2<f32>, 256>;

fn fold_line(value: vec2<f32>, local: u32, lane: u32) -> vec2<f32> {
  lanes_line[local] = value;
  workgroupBarrier();
  for (var width = 16u; width > 0u; width >>= 1u) {
    if (lane < width) {
      lanes_line[local] = combine(lanes_line[local], lanes_line[local + width * 8u]);
    }
    workgroupBarrier();
  }
  let folded = lanes_line[local - lane * 8u];
  // The memory may be written again once all have read.
  workgroupBarrier();
  return folded;
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
  // A line is one output (or four neighbours): [outer, chunks, inner], row-major.
  let chunk = (line / params.inner) % params.chunks;
  let outer = line / params.inner / params.chunks;

  let column = line % params.inner;
  let start = outer * params.n * params.inner + column;
  let c_line = c_values[outer * params.inner + column];
  let n = select(0u, params.n, line < params.count);
  let step = 32u * params.chunks;
  let jump = step * params.inner;
  var total_0 = vec2<f32>(vec2<f32>());
  var total_1 = vec2<f32>(vec2<f32>());
  var total_2 = vec2<f32>(vec2<f32>());
  var total_3 = vec2<f32>(vec2<f32>());
  var k = chunk * 32u + lane;
  var at = start + k * params.inner;
  while (k + 3u * step < n) {
    let value_0 = x[at];
    let value_0_b = b_values[at];
    let value_0_d = d_values[k];
    let value_1 = x[at + 1u * jump];
    let value_1_b = b_values[at + 1u * jump];
    let value_1_d = d_values[k + 1u * step];
    let value_2 = x[at + 2u * jump];
    let value_2_b = b_values[at + 2u * jump];
    let value_2_d = d_values[k + 2u * step];
    let value_3 = x[at + 3u * jump];
    let value_3_b = b_values[at + 3u * jump];
    let value_3_d = d_values[k + 3u * step];
    total_0 = combine(total_0, combine(combine(prepare(value_0.x, k, value_0_b.x, c_line.x, value_0_d), prepare(value_1.x, k + 1u * step, value_1_b.x, c_line.x, value_1_d)), combine(prepare(value_2.x, k + 2u * step, value_2_b.x, c_line.x, value_2_d), prepare(value_3.x, k + 3u * step, value_3_b.x, c_line.x, value_3_d))));
    total_1 = combine(total_1, combine(combine(prepare(value_0.y, k, value_0_b.y, c_line.y, value_0_d), prepare(value_1.y, k + 1u * step, value_1_b.y, c_line.y, value_1_d)), combine(prepare(value_2.y, k + 2u * step, value_2_b.y, c_line.y, value_2_d), prepare(value_3.y, k + 3u * step, value_3_b.y, c_line.y, value_3_d))));
    total_2 = combine(total_2, combine(combine(prepare(value_0.z, k, value_0_b.z, c_line.z, value_0_d), prepare(value_1.z, k + 1u * step, value_1_b.z, c_line.z, value_1_d)), combine(prepare(value_2.z, k + 2u * step, value_2_b.z, c_line.z, value_2_d), prepare(value_3.z, k + 3u * step, value_3_b.z, c_line.z, value_3_d))));
    total_3 = combine(total_3, combine(combine(prepare(value_0.w, k, value_0_b.w, c_line.w, value_0_d), prepare(value_1.w, k + 1u * step, value_1_b.w, c_line.w, value_1_d)), combine(prepare(value_2.w, k + 2u * step, value_2_b.w, c_line.w, value_2_d), prepare(value_3.w, k + 3u * step, value_3_b.w, c_line.w, value_3_d))));
    k += 4u * step;
    at += 4u * jump;
  }
  while (k < n) {
    let value_0 = x[at];
    let value_0_b = b_values[at];
    let value_0_d = d_values[k];
    total_0 = combine(total_0, prepare(value_0.x, k, value_0_b.x, c_line.x, value_0_d));
    total_1 = combine(total_1, prepare(value_0.y, k, value_0_b.y, c_line.y, value_0_d));
    total_2 = combine(total_2, prepare(value_0.z, k, value_0_b.z, c_line.z, value_0_d));
    total_3 = combine(total_3, prepare(value_0.w, k, value_0_b.w, c_line.w, value_0_d));
    k += step;
    at += jump;
  }
  let folded_0 = fold_line(total_0, local, lane);
  let folded_1 = fold_line(total_1, local, lane);
  let folded_2 = fold_line(total_2, local, lane);
  let folded_3 = fold_line(total_3, local, lane);
  if (lane == 0u && line < params.count) {
    out_0[4u * line + 0u] = finish_0(folded_0);
    out_1[4u * line + 0u] = finish_1(folded_0);
    out_0[4u * line + 1u] = finish_0(folded_1);
    out_1[4u * line + 1u] = finish_1(folded_1);
    out_0[4u * line + 2u] = finish_0(folded_2);
    out_1[4u * line + 2u] = finish_1(folded_2);
    out_0[4u * line + 3u] = finish_0(folded_3);
    out_1[4u * line + 3u] = finish_1(folded_3);
  }
}
