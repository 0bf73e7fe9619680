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
  let unit = flat_index(group, groups, local, 256u);
  let line = unit / params.groups;
  let within = min((unit - line * params.groups) * 8u, params.line - 8u);
  let i = line * params.line + within;
  if (i >= params.count) {
    return;
  }
  let start = (line / params.depth) * params.inner + within;
  let d = line % params.depth;
  out[i + 0u] = select(params.off, params.on, indices[start + 0u] == d);
  out[i + 1u] = select(params.off, params.on, indices[start + 1u] == d);
  out[i + 2u] = select(params.off, params.on, indices[start + 2u] == d);
  out[i + 3u] = select(params.off, params.on, indices[start + 3u] == d);
  out[i + 4u] = select(params.off, params.on, indices[start + 4u] == d);
  out[i + 5u] = select(params.off, params.on, indices[start + 5u] == d);
  out[i + 6u] = select(params.off, params.on, indices[start + 6u] == d);
  out[i + 7u] = select(params.off, params.on, indices[start + 7u] == d);
}
