@group(0) @binding(0) var<storage, read> a_values: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b_values: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  shape: array<vec4<u32>, 2>,
  a_strides: array<vec4<u32>, 2>,
  b_strides: array<vec4<u32>, 2>,
  count: u32,
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
  // The last workgroup starts earlier instead of running past the end: some elements are computed twice.
  let first = min(flat_group(group, groups) * 256u, params.count - 256u) + local;
  let i_0 = first + 0u;
  var remaining_0 = i_0;
  var b_offset_0 = 0u;
  {
    let coordinate = remaining_0 % params.shape[0][1];
    remaining_0 /= params.shape[0][1];
    b_offset_0 += coordinate * params.b_strides[0][1];
  }
  {
    let coordinate = remaining_0;

    b_offset_0 += coordinate * params.b_strides[0][0];
  }
  let a_value_0 = a_values[i_0];
  let b_value_0 = b_values[b_offset_0];
  let i_1 = first + 128u;
  var remaining_1 = i_1;
  var b_offset_1 = 0u;
  {
    let coordinate = remaining_1 % params.shape[0][1];
    remaining_1 /= params.shape[0][1];
    b_offset_1 += coordinate * params.b_strides[0][1];
  }
  {
    let coordinate = remaining_1;

    b_offset_1 += coordinate * params.b_strides[0][0];
  }
  let a_value_1 = a_values[i_1];
  let b_value_1 = b_values[b_offset_1];
  out[i_0] = vec4<f32>(apply(a_value_0.x, b_value_0.x), apply(a_value_0.y, b_value_0.y), apply(a_value_0.z, b_value_0.z), apply(a_value_0.w, b_value_0.w));
  out[i_1] = vec4<f32>(apply(a_value_1.x, b_value_1.x), apply(a_value_1.y, b_value_1.y), apply(a_value_1.z, b_value_1.z), apply(a_value_1.w, b_value_1.w));
}
