@group(0) @binding(0) var<storage, read> in_0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> in_1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  geometry_0: array<vec4<u32>, 2>,
  geometry_1: array<vec4<u32>, 2>,
  count: u32,
  first: u32,
  written: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let unit = flat_index(group, groups, local, 256u);
  if (unit >= params.count) {
    return;
  }
  var remaining = unit;
  let at_1 = remaining % params.geometry_0[0][1];
  remaining /= params.geometry_0[0][1];
  let at_0 = remaining;
  let out_at = params.first + at_0 * params.geometry_0[0][2] + at_1 * params.geometry_0[0][3];
  var total = vec4<f32>();
  if (at_0 < params.written) {
    total = out[out_at];
  }
  {
    let place_0 = at_0 - params.geometry_0[1][0];
    let place_1 = at_1 - params.geometry_0[1][1];
    if (place_0 < params.geometry_0[1][2] && place_1 < params.geometry_0[1][3]) {
      total += in_0[(place_0) * params.geometry_0[1][3] + place_1];
    }
  }
  {
    let place_0 = at_0 - params.geometry_1[0][0];
    let place_1 = at_1 - params.geometry_1[0][1];
    if (place_0 < params.geometry_1[0][2] && place_1 < params.geometry_1[0][3]) {
      total += in_1[(place_0) * params.geometry_1[0][3] + place_1];
    }
  }
  out[out_at] = total;
}
