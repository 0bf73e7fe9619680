@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
struct Params {
  count: u32,
  depth: u32,
  inner: u32,
  line: u32,
  groups: u32,
  on: u32,
  off: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

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
  let i = flat_index(group, groups, local, 256u);
  if (i >= params.count) {
    return;
  }
  let slab = i / params.inner;
  let index = indices[(slab / params.depth) * params.inner + i % params.inner];
  // A negative index, as an unsigned number, is larger than any depth.
  out[i] = select(params.off, params.on, index == slab % params.depth);
}
