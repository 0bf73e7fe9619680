@group(0) @binding(0) var<storage, read> packed: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params {
  channels: u32,
  length: u32,
  chunks: u32,
  group_size: u32,
  groups: u32,
  zero_words: u32,
  count: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

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
  let unit = flat_index(group, groups, local, 64u);
  if (unit >= params.count) {
    return;
  }
  let line = unit / params.chunks;
  let chunk = unit % params.chunks;
  let channel = line;
  let i = chunk * 8u;
  let q = packed[channel * params.chunks + chunk];
  if (i + 0u < params.length) {
    let value = bitcast<vec4<f32>>(vec4<u32>(q.x << 16u, q.x & 0xffff0000u, q.y << 16u, q.y & 0xffff0000u));
    for (var k = 0u; k < min(4u, params.length - (i + 0u)); k++) {
      out[line * params.length + i + 0u + k] = value[k];
    }
  }
  if (i + 4u < params.length) {
    let value = bitcast<vec4<f32>>(vec4<u32>(q.z << 16u, q.z & 0xffff0000u, q.w << 16u, q.w & 0xffff0000u));
    for (var k = 0u; k < min(4u, params.length - (i + 4u)); k++) {
      out[line * params.length + i + 4u + k] = value[k];
    }
  }
}
