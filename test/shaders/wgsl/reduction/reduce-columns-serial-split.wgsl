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

@compute @workgroup_size(32)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let unit = flat_index(group, groups, local, 32u);
  if (unit >= params.count) {
    return;
  }
  // A unit is one output, or neighbouring ones: [outer, chunks, inner], row-major. Divisions are dear: lane by lane, and
  // guarded. The last units of lines that lie apart start earlier instead of running past the end: some are folded twice.
  let column = unit % params.inner;
  let row = unit / params.inner;
  let line = unit;

  // Each chunk is a stretch of the axis, which a CPU reads from its caches.
  let chunk = row % params.chunks;
  let outer = row / params.chunks;
  let length = (params.n + params.chunks - 1u) / params.chunks;
  var k = chunk * length;
  let end = min(params.n, k + length);
  var at = (outer * params.n + k) * params.inner + column;
  var total_0 = f32(bitcast<f32>(params.initial));
  var total_1 = f32(bitcast<f32>(params.initial));
  var total_2 = f32(bitcast<f32>(params.initial));
  var total_3 = f32(bitcast<f32>(params.initial));
  let whole = max(end, 3u) - 3u;
  while (k < whole) {
    let read_0 = x[at + 0u * params.inner];
    let read_1 = x[at + 1u * params.inner];
    let read_2 = x[at + 2u * params.inner];
    let read_3 = x[at + 3u * params.inner];
    total_0 = combine(total_0, combine(combine(prepare(read_0.x, (k + 0u)), prepare(read_1.x, (k + 1u))), combine(prepare(read_2.x, (k + 2u)), prepare(read_3.x, (k + 3u)))));
    total_1 = combine(total_1, combine(combine(prepare(read_0.y, (k + 0u)), prepare(read_1.y, (k + 1u))), combine(prepare(read_2.y, (k + 2u)), prepare(read_3.y, (k + 3u)))));
    total_2 = combine(total_2, combine(combine(prepare(read_0.z, (k + 0u)), prepare(read_1.z, (k + 1u))), combine(prepare(read_2.z, (k + 2u)), prepare(read_3.z, (k + 3u)))));
    total_3 = combine(total_3, combine(combine(prepare(read_0.w, (k + 0u)), prepare(read_1.w, (k + 1u))), combine(prepare(read_2.w, (k + 2u)), prepare(read_3.w, (k + 3u)))));
    k += 4u;
    at += 4u * params.inner;
  }
  while (k < end) {
    let value = x[at];
    total_0 = combine(total_0, prepare(value.x, k));
    total_1 = combine(total_1, prepare(value.y, k));
    total_2 = combine(total_2, prepare(value.z, k));
    total_3 = combine(total_3, prepare(value.w, k));
    k += 1u;
    at += params.inner;
  }
  out_0[4u * line + 0u] = finish_0(total_0);
  out_0[4u * line + 1u] = finish_0(total_1);
  out_0[4u * line + 2u] = finish_0(total_2);
  out_0[4u * line + 3u] = finish_0(total_3);
}
