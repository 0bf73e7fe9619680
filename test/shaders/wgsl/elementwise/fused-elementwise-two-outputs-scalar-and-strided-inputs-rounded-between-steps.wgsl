@group(0) @binding(0) var<storage, read> in_0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> in_1: array<f32>;
@group(0) @binding(2) var<storage, read> in_2: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out_0: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> out_1: array<vec4<f32>>;
struct Params {
  scalars_low: array<vec4<u32>, 2>,
  scalars_high: array<vec4<u32>, 2>,
  shape_0: array<vec4<u32>, 2>,
  strides_0: array<vec4<u32>, 2>,
  shape_1: array<vec4<u32>, 2>,
  strides_1: array<vec4<u32>, 2>,
  count: u32,
  no_bits: u32,
}
@group(0) @binding(5) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn apply_0(a: f32, b: f32) -> f32 {
  return a * b;
}

fn apply_1(a: f32, b: f32) -> f32 {
  return a + b;
}

fn rounded(value: vec4<f32>) -> vec4<f32> {
  return bitcast<vec4<f32>>(bitcast<vec4<u32>>(value) ^ vec4<u32>(params.no_bits));
}

@compute @workgroup_size(128)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let at = flat_index(group, groups, local, 128u) * 1u;
  if (at >= params.count) {
    return;
  }
  // The last invocation starts earlier instead of running past the end: some elements are computed twice.
  let first = min(at, params.count - 1u);

  {
    let i = first + 0u;

    var offset_2 = 0u;
    var rest_2 = i;
    offset_2 += rest_2 % params.shape_0[0][1] * params.strides_0[0][1];
    rest_2 /= params.shape_0[0][1];
    offset_2 += rest_2 * params.strides_0[0][0];
    let i0 = in_0[i];
    let i1 = in_1[0];
    let i2 = in_2[offset_2];
    let v0 = rounded(vec4<f32>(apply_0(i0.x, i1), apply_0(i0.y, i1), apply_0(i0.z, i1), apply_0(i0.w, i1)));
    let v1 = vec4<f32>(apply_1(i2.x, v0.x), apply_1(i2.y, v0.y), apply_1(i2.z, v0.z), apply_1(i2.w, v0.w));
    out_0[i] = v0;
    out_1[i] = v1;
  }
}
