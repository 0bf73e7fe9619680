@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> order: array<u32>;
@group(0) @binding(2) var<storage, read> updates: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  count: u32,
  outer: u32,
  inner: u32,
  entries: u32,
  rows: u32,
  total: u32,
}
@group(0) @binding(4) var<uniform> params: Params;

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
  let stride = params.outer * params.inner;
  let chunk = i / stride;
  let element = i % stride;
  let first = order[chunk * 16384u];
  let last = order[chunk * 16384u + 16383u];
  let key = keys[first];
  if (key != keys[last] || key >= params.total) {
    return;
  }
  var total = vec4<f32>();
  for (var t = 0u; t < 128u; t++) {
    total += updates[(chunk * 128u + t) * stride + element];
  }
  out[i] = total;
}
