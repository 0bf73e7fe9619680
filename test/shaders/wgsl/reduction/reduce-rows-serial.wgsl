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
  let column = 0u;
  let row = unit;
  let line = row;

  var k = 0u;
  let end = params.n;
  var at = row * params.n * params.inner + column;
  var total_0 = f32(bitcast<f32>(params.initial));
  let whole = max(end, 3u) - 3u;
  while (k < whole) {
    let read_0 = x[at + 0u * params.inner];
    let read_1 = x[at + 1u * params.inner];
    let read_2 = x[at + 2u * params.inner];
    let read_3 = x[at + 3u * params.inner];
    total_0 = combine(total_0, combine(combine(combine(combine(prepare(read_0.x, 4u * (k + 0u) + 0u), prepare(read_0.y, 4u * (k + 0u) + 1u)), combine(prepare(read_0.z, 4u * (k + 0u) + 2u), prepare(read_0.w, 4u * (k + 0u) + 3u))), combine(combine(prepare(read_1.x, 4u * (k + 1u) + 0u), prepare(read_1.y, 4u * (k + 1u) + 1u)), combine(prepare(read_1.z, 4u * (k + 1u) + 2u), prepare(read_1.w, 4u * (k + 1u) + 3u)))), combine(combine(combine(prepare(read_2.x, 4u * (k + 2u) + 0u), prepare(read_2.y, 4u * (k + 2u) + 1u)), combine(prepare(read_2.z, 4u * (k + 2u) + 2u), prepare(read_2.w, 4u * (k + 2u) + 3u))), combine(combine(prepare(read_3.x, 4u * (k + 3u) + 0u), prepare(read_3.y, 4u * (k + 3u) + 1u)), combine(prepare(read_3.z, 4u * (k + 3u) + 2u), prepare(read_3.w, 4u * (k + 3u) + 3u))))));
    k += 4u;
    at += 4u * params.inner;
  }
  while (k < end) {
    let value = x[at];
    total_0 = combine(total_0, combine(combine(prepare(value.x, 4u * k + 0u), prepare(value.y, 4u * k + 1u)), combine(prepare(value.z, 4u * k + 2u), prepare(value.w, 4u * k + 3u))));
    k += 1u;
    at += params.inner;
  }
  out_0[1u * line + 0u] = finish_0(total_0);
}
