/**
 * @file Index arithmetic that kernels share.
 */

/**
 * The flat invocation index of a grid that was folded over the dimensions because it has more than 65,535
 * workgroups. `group` and `groups` are the builtins workgroup_id and num_workgroups.
 */
export const flatIndex = /* wgsl */ `
fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}
`;
