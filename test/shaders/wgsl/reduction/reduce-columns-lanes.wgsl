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

var<workgroup> lanes_line: array<f32, 64>;

fn fold_line(value: f32, local: u32, lane: u32) -> f32 {
  lanes_line[local] = value;
  workgroupBarrier();
  for (var width = 2u; width > 0u; width >>= 1u) {
    if (lane < width) {
      lanes_line[local] = combine(lanes_line[local], lanes_line[local + width * 16u]);
    }
    workgroupBarrier();
  }
  let folded = lanes_line[local - lane * 16u];
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
  let lane = local / 16u;
  let line_in_group = local % 16u;
  let line = flat_group(group, groups) * 16u + line_in_group;
  // A line is one output (or four neighbours): [outer, chunks, inner], row-major.
  let outer = line / params.inner;

  let column = line % params.inner;
  let start = outer * params.n * params.inner + column;

  let n = select(0u, params.n, line < params.count);
  let step = 4u;
  let jump = step * params.inner;
  var total_0 = f32(bitcast<f32>(params.initial));
  var total_1 = f32(bitcast<f32>(params.initial));
  var total_2 = f32(bitcast<f32>(params.initial));
  var total_3 = f32(bitcast<f32>(params.initial));
  var k = lane;
  var at = start + k * params.inner;
  while (k + 3u * step < n) {
    let value_0 = x[at];
    let value_1 = x[at + 1u * jump];
    let value_2 = x[at + 2u * jump];
    let value_3 = x[at + 3u * jump];
    total_0 = combine(total_0, combine(combine(prepare(value_0.x, k), prepare(value_1.x, k + 1u * step)), combine(prepare(value_2.x, k + 2u * step), prepare(value_3.x, k + 3u * step))));
    total_1 = combine(total_1, combine(combine(prepare(value_0.y, k), prepare(value_1.y, k + 1u * step)), combine(prepare(value_2.y, k + 2u * step), prepare(value_3.y, k + 3u * step))));
    total_2 = combine(total_2, combine(combine(prepare(value_0.z, k), prepare(value_1.z, k + 1u * step)), combine(prepare(value_2.z, k + 2u * step), prepare(value_3.z, k + 3u * step))));
    total_3 = combine(total_3, combine(combine(prepare(value_0.w, k), prepare(value_1.w, k + 1u * step)), combine(prepare(value_2.w, k + 2u * step), prepare(value_3.w, k + 3u * step))));
    k += 4u * step;
    at += 4u * jump;
  }
  while (k < n) {
    let value_0 = x[at];
    total_0 = combine(total_0, prepare(value_0.x, k));
    total_1 = combine(total_1, prepare(value_0.y, k));
    total_2 = combine(total_2, prepare(value_0.z, k));
    total_3 = combine(total_3, prepare(value_0.w, k));
    k += step;
    at += jump;
  }
  let folded_0 = fold_line(total_0, local, lane);
  let folded_1 = fold_line(total_1, local, lane);
  let folded_2 = fold_line(total_2, local, lane);
  let folded_3 = fold_line(total_3, local, lane);
  if (lane == 0u && line < params.count) {
    out_0[4u * line + 0u] = finish_0(folded_0);
    out_0[4u * line + 1u] = finish_0(folded_1);
    out_0[4u * line + 2u] = finish_0(folded_2);
    out_0[4u * line + 3u] = finish_0(folded_3);
  }
}
