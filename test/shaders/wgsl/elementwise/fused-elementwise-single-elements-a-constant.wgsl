@group(0) @binding(0) var<storage, read> in_0: array<f32>;
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
  no_bits: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn apply_0(a: f32, b: f32) -> f32 {
  return a + b;
}

fn rounded(value: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(value) ^ u32(params.no_bits));
}

@compute @workgroup_size(128)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let scalar_0 = params.scalars_low[0][0];
  let at = flat_index(group, groups, local, 128u) * 2u;
  if (at >= params.count) {
    return;
  }
  // The last invocation starts earlier instead of running past the end: some elements are computed twice.
  let first = min(at, params.count - 2u);

  {
    let i = first + 0u;

    let i0 = in_0[i];
    let i1 = in_1[i];
    let v0 = apply_0(i0, bitcast<f32>(scalar_0));
    out_0[i] = v0;
  }
  {
    let i = first + 1u;

    let i0 = in_0[i];
    let i1 = in_1[i];
    let v0 = apply_0(i0, bitcast<f32>(scalar_0));
    out_0[i] = v0;
  }
}
