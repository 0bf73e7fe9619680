@group(0) @binding(0) var<storage, read_write> out: array<u32>;
struct Params {
  count: u32,
  bits: u32,
}
@group(0) @binding(1) var<uniform> params: Params;

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
  let i = flat_index(group, groups, local, 256u) * 1u;
  if (i < params.count) {
    // The last one starts earlier instead of running past the end.
    let first = i;
    out[first + 0u] = params.bits;
  }
}
