@group(0) @binding(0) var<storage, read> x_0: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> x_1: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> x_2: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> x_3: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> x_4: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> x_5: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> out: array<vec4<u32>>;
struct Params {
  ends: array<vec4<u32>, 2>,
  count: u32,
}
@group(0) @binding(7) var<uniform> params: Params;

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
  let length = params.ends[1][1];
  let row = unit / length;
  let at = unit % length;
  if (at < params.ends[0][0]) { out[unit] = x_0[row * params.ends[0][0] + at]; }
  else if (at < params.ends[0][1]) { out[unit] = x_1[row * (params.ends[0][1] - params.ends[0][0]) + at - params.ends[0][0]]; }
  else if (at < params.ends[0][2]) { out[unit] = x_2[row * (params.ends[0][2] - params.ends[0][1]) + at - params.ends[0][1]]; }
  else if (at < params.ends[0][3]) { out[unit] = x_3[row * (params.ends[0][3] - params.ends[0][2]) + at - params.ends[0][2]]; }
  else if (at < params.ends[1][0]) { out[unit] = x_4[row * (params.ends[1][0] - params.ends[0][3]) + at - params.ends[0][3]]; }
  else { out[unit] = x_5[row * (params.ends[1][1] - params.ends[1][0]) + at - params.ends[1][0]]; }
}
