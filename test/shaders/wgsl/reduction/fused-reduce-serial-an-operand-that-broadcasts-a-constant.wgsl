@group(0) @binding(0) var<storage, read> in_0: array<mat4x4<f32>>;
@group(0) @binding(1) var<storage, read> in_1: array<f32>;
@group(0) @binding(2) var<storage, read_write> out_0: array<f32>;
struct Params {
  scalars_low: array<vec4<u32>, 2>,
  scalars_high: array<vec4<u32>, 2>,
  shape_0: array<vec4<u32>, 2>,
  strides_0: array<vec4<u32>, 2>,
  shape_1: array<vec4<u32>, 2>,
  strides_1: array<vec4<u32>, 2>,
  count: u32,
  side: u32,
  n: u32,
  inner: u32,
  chunks: u32,
  initial: u32,
  length: f32,
  no_bits: u32,
}
@group(0) @binding(3) var<uniform> params: Params;
fn apply_0(a: f32, b: f32, scalar_0: u32) -> f32 {
  return select(a * bitcast<f32>(scalar_0), a, a > b);
}

fn rounded(value: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(value) ^ u32(params.no_bits));
}

fn element(scalar_0: u32, i0: f32, i1: f32) -> f32 {
  let v0 = apply_0(i0, i1, scalar_0);
  return rounded(v0);
}

fn x_at(at: u32, scalar_0: u32) -> mat4x4<f32> {
  var offset_1 = 0u;
  var rest_1 = at;
  rest_1 /= params.shape_0[0][1];
  offset_1 += rest_1 * params.strides_0[0][0];
  let i0 = in_0[at];
  let i1 = in_1[offset_1];
  return mat4x4<f32>(element(scalar_0, i0[0].x, i1), element(scalar_0, i0[0].y, i1), element(scalar_0, i0[0].z, i1), element(scalar_0, i0[0].w, i1), element(scalar_0, i0[1].x, i1), element(scalar_0, i0[1].y, i1), element(scalar_0, i0[1].z, i1), element(scalar_0, i0[1].w, i1), element(scalar_0, i0[2].x, i1), element(scalar_0, i0[2].y, i1), element(scalar_0, i0[2].z, i1), element(scalar_0, i0[2].w, i1), element(scalar_0, i0[3].x, i1), element(scalar_0, i0[3].y, i1), element(scalar_0, i0[3].z, i1), element(scalar_0, i0[3].w, i1));
}

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
  let scalar_0 = params.scalars_low[0][0];
  var total_0 = f32(bitcast<f32>(params.initial));
  while (k < end) {
    let value = x_at(at, scalar_0);
    total_0 = combine(total_0, combine(combine(combine(combine(prepare(value[0].x, 16u * k + 0u), prepare(value[0].y, 16u * k + 1u)), combine(prepare(value[0].z, 16u * k + 2u), prepare(value[0].w, 16u * k + 3u))), combine(combine(prepare(value[1].x, 16u * k + 4u), prepare(value[1].y, 16u * k + 5u)), combine(prepare(value[1].z, 16u * k + 6u), prepare(value[1].w, 16u * k + 7u)))), combine(combine(combine(prepare(value[2].x, 16u * k + 8u), prepare(value[2].y, 16u * k + 9u)), combine(prepare(value[2].z, 16u * k + 10u), prepare(value[2].w, 16u * k + 11u))), combine(combine(prepare(value[3].x, 16u * k + 12u), prepare(value[3].y, 16u * k + 13u)), combine(prepare(value[3].z, 16u * k + 14u), prepare(value[3].w, 16u * k + 15u))))));
    k += 1u;
    at += params.inner;
  }
  out_0[1u * line + 0u] = finish_0(total_0);
}
