@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>>;
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
  let place = indices[line] - within * 4u;
  out[i + 0u] = select(vec4<u32>(params.off), vec4<u32>(params.on), vec4<u32>(place - 0u) == vec4<u32>(0u, 1u, 2u, 3u));
  out[i + 1u] = select(vec4<u32>(params.off), vec4<u32>(params.on), vec4<u32>(place - 4u) == vec4<u32>(0u, 1u, 2u, 3u));
  out[i + 2u] = select(vec4<u32>(params.off), vec4<u32>(params.on), vec4<u32>(place - 8u) == vec4<u32>(0u, 1u, 2u, 3u));
  out[i + 3u] = select(vec4<u32>(params.off), vec4<u32>(params.on), vec4<u32>(place - 12u) == vec4<u32>(0u, 1u, 2u, 3u));
  out[i + 4u] = select(vec4<u32>(params.off), vec4<u32>(params.on), vec4<u32>(place - 16u) == vec4<u32>(0u, 1u, 2u, 3u));
  out[i + 5u] = select(vec4<u32>(params.off), vec4<u32>(params.on), vec4<u32>(place - 20u) == vec4<u32>(0u, 1u, 2u, 3u));
  out[i + 6u] = select(vec4<u32>(params.off), vec4<u32>(params.on), vec4<u32>(place - 24u) == vec4<u32>(0u, 1u, 2u, 3u));
  out[i + 7u] = select(vec4<u32>(params.off), vec4<u32>(params.on), vec4<u32>(place - 28u) == vec4<u32>(0u, 1u, 2u, 3u));
}
