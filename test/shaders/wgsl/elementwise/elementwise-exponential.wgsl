@group(0) @binding(0) var<storage, read> a_values: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  count: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn apply(a: f32) -> f32 {
  return exp(a);
}

@compute @workgroup_size(128)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 128u);
  if (i >= params.count) {
    return;
  }

  let a_value = a_values[i];
  out[i] = vec4<f32>(apply(a_value.x), apply(a_value.y), apply(a_value.z), apply(a_value.w));
}
