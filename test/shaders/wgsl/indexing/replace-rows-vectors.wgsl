@group(0) @binding(0) var<storage, read> x: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> updates: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> last: array<i32>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<u32>>;
struct Params {
  count: u32,
  inner: u32,
}
@group(0) @binding(4) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let first = flat_index(group, groups, local, 64u) * 8u;
  for (var i = first; i < min(first + 8u, params.count); i++) {
    let row = i / params.inner;
    let update = last[row];
    if (update < 0) {
      out[i] = x[i];
    } else {
      out[i] = updates[u32(update) * params.inner + i - row * params.inner];
    }
  }
}
