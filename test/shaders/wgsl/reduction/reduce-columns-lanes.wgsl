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
  let chunk = 0u;
  let outer = line / params.inner;
  let n = select(0u, params.n, line < params.count);
  let start = outer * params.n * params.inner + line % params.inner;
  let stride = 4u * params.chunks;
  var total_0 = f32(bitcast<f32>(params.initial));
  var total_1 = f32(bitcast<f32>(params.initial));
  var total_2 = f32(bitcast<f32>(params.initial));
  var total_3 = f32(bitcast<f32>(params.initial));
  var first = chunk * 4u + lane;
  while (first < n) {
    let end = min(n, first + 32u * stride);
    var folded_0 = f32(bitcast<f32>(params.initial));
    var folded_1 = f32(bitcast<f32>(params.initial));
    var folded_2 = f32(bitcast<f32>(params.initial));
    var folded_3 = f32(bitcast<f32>(params.initial));
    for (var k = first; k < end; k += stride) {
      let value = x[start + k * params.inner];
      folded_0 = combine(folded_0, prepare(value.x, k));
      folded_1 = combine(folded_1, prepare(value.y, k));
      folded_2 = combine(folded_2, prepare(value.z, k));
      folded_3 = combine(folded_3, prepare(value.w, k));
    }
    total_0 = combine(total_0, folded_0);
    total_1 = combine(total_1, folded_1);
    total_2 = combine(total_2, folded_2);
    total_3 = combine(total_3, folded_3);
    first += 32u * stride;
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
