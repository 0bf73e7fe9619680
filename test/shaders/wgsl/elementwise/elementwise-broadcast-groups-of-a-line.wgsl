@group(0) @binding(0) var<storage, read> a_values: array<f32>;
@group(0) @binding(1) var<storage, read> b_values: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
struct Params {
  shape: array<vec4<u32>, 2>,
  a_strides: array<vec4<u32>, 2>,
  b_strides: array<vec4<u32>, 2>,
  count: u32,
  groups: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn apply(a: f32, b: f32) -> f32 {
  return a * b;
}

@compute @workgroup_size(128)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let unit = flat_index(group, groups, local, 128u);
  let line = unit / params.groups;
  let column = min((unit - line * params.groups) * 4u, params.shape[0][1] - 4u);
  let first = line * params.shape[0][1] + column;
  if (first >= params.count) {
    return;
  }
  var remaining = line;
  var b_offset = 0u;
  {
    let coordinate = remaining;

    b_offset += coordinate * params.b_strides[0][0];
  }
  b_offset += column * params.b_strides[0][1];
  let b_value = b_values[b_offset];
  {
    let i = first + 0u;

    let a_value = a_values[i];
    out[i] = apply(a_value, b_value);
  }
  {
    let i = first + 1u;

    let a_value = a_values[i];
    out[i] = apply(a_value, b_value);
  }
  {
    let i = first + 2u;

    let a_value = a_values[i];
    out[i] = apply(a_value, b_value);
  }
  {
    let i = first + 3u;

    let a_value = a_values[i];
    out[i] = apply(a_value, b_value);
  }
}
