@group(0) @binding(0) var<storage, read> out: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> stats: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read> cotangent: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> sums: array<vec4<f32>>;
struct Params {
  count: u32,
  queries: u32,
  heads: u32,
  value_size: u32,
}
@group(0) @binding(4) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn sums_of(row: u32, start: u32) -> vec4<f32> {
  var sum = 0.0;
  for (var k = 0u; k < params.value_size; k++) {
    sum += dot(cotangent[start + k], out[start + k]);
  }
  return vec4(stats[row].x, 1.0 / stats[row].y, sum, 0.0);
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
  // Rows of out and cotangent lie by [batch, query, head].
  let head = i % params.heads;
  let query = (i / params.heads) % params.queries;
  let batch = i / params.heads / params.queries;
  let row = (batch * params.heads + head) * params.queries + query;
  sums[row] = sums_of(row, i * params.value_size);
}
