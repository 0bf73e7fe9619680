@group(0) @binding(0) var<storage, read> source: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> positions: array<i32>;
@group(0) @binding(2) var<storage, read_write> cache: array<vec2<u32>>;
struct Params {
  count: u32,
  queries: u32,
  row_units: u32,
  max_length: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

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
  let i = flat_index(group, groups, local, 64u);
  if (i >= params.count) {
    return;
  }
  let row = i / params.row_units;
  let position = positions[row];
  if (position < 0 || position >= i32(params.max_length)) {
    return;
  }
  let value = source[i];
  let batch = row / params.queries;
  cache[(batch * params.max_length + u32(position)) * params.row_units + i % params.row_units] = vec2<u32>(pack2x16float(value.xy), pack2x16float(value.zw));
}
