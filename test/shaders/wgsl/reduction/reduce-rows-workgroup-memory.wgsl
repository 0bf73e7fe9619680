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
  for (var width = 128u; width > 0u; width >>= 1u) {
    if (lane < width) {
      lanes_line[local] = combine(lanes_line[local], lanes_line[local + width * 1u]);
    }
    workgroupBarrier();
  }
  let folded = lanes_line[local - lane * 1u];
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
  let lane = local;
  let line = flat_group(group, groups);
  // A line is one output (or four neighbours): [outer, chunks, inner], row-major.
  let outer = line;

  let start = outer * params.n;

  let n = select(0u, params.n, line < params.count);
  let step = 256u;
  let jump = step;
  var total_0 = f32(bitcast<f32>(params.initial));
  var k = lane;
  var at = start + k;
  while (k + 3u * step < n) {
    let value_0 = x[at];
    let value_1 = x[at + 1u * jump];
    let value_2 = x[at + 2u * jump];
    let value_3 = x[at + 3u * jump];
    total_0 = combine(total_0, combine(combine(combine(combine(prepare(value_0.x, 4u * (k) + 0u), prepare(value_0.y, 4u * (k) + 1u)), combine(prepare(value_0.z, 4u * (k) + 2u), prepare(value_0.w, 4u * (k) + 3u))), combine(combine(prepare(value_1.x, 4u * (k + 1u * step) + 0u), prepare(value_1.y, 4u * (k + 1u * step) + 1u)), combine(prepare(value_1.z, 4u * (k + 1u * step) + 2u), prepare(value_1.w, 4u * (k + 1u * step) + 3u)))), combine(combine(combine(prepare(value_2.x, 4u * (k + 2u * step) + 0u), prepare(value_2.y, 4u * (k + 2u * step) + 1u)), combine(prepare(value_2.z, 4u * (k + 2u * step) + 2u), prepare(value_2.w, 4u * (k + 2u * step) + 3u))), combine(combine(prepare(value_3.x, 4u * (k + 3u * step) + 0u), prepare(value_3.y, 4u * (k + 3u * step) + 1u)), combine(prepare(value_3.z, 4u * (k + 3u * step) + 2u), prepare(value_3.w, 4u * (k + 3u * step) + 3u))))));
    k += 4u * step;
    at += 4u * jump;
  }
  while (k < n) {
    let value_0 = x[at];
    total_0 = combine(total_0, combine(combine(prepare(value_0.x, 4u * (k) + 0u), prepare(value_0.y, 4u * (k) + 1u)), combine(prepare(value_0.z, 4u * (k) + 2u), prepare(value_0.w, 4u * (k) + 3u))));
    k += step;
    at += jump;
  }
  let folded_0 = fold_line(total_0, local, lane);
  if (lane == 0u && line < params.count) {
    out_0[1u * line + 0u] = finish_0(folded_0);
  }
}
