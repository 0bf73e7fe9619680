@group(0) @binding(0) var<storage, read> x_0: array<u32>;
@group(0) @binding(1) var<storage, read> x_1: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
struct Params {
  ends: array<vec4<u32>, 2>,
  count: u32,
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
  let length = params.ends[0][1];
  let row = unit / length;
  let at = unit % length;
  if (at < params.ends[0][0]) { out[unit] = x_0[row * params.ends[0][0] + at]; }
  else { out[unit] = x_1[row * (params.ends[0][1] - params.ends[0][0]) + at - params.ends[0][0]]; }
}
