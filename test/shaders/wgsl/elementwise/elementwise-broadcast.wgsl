@group(0) @binding(0) var<storage, read> a_values: array<f32>;
@group(0) @binding(1) var<storage, read> b_values: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
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
  let at = flat_index(group, groups, local, 128u) * 4u;
  if (at >= params.count) {
    return;
  }
  // The last one starts earlier instead of running past the end: some elements are computed twice.
  let first = min(at, params.count - 4u);

  {
    let i = first + 0u;
    var remaining = i;
    var b_offset = 0u;
    {
      let coordinate = remaining % params.shape[0][1];
      remaining /= params.shape[0][1];
      b_offset += coordinate * params.b_strides[0][1];
    }
    {
      let coordinate = remaining;

      b_offset += coordinate * params.b_strides[0][0];
    }
    let a_value = a_values[i];
    let b_value = b_values[b_offset];
    out[i] = apply(a_value, b_value);
  }
  {
    let i = first + 1u;
    var remaining = i;
    var b_offset = 0u;
    {
      let coordinate = remaining % params.shape[0][1];
      remaining /= params.shape[0][1];
      b_offset += coordinate * params.b_strides[0][1];
    }
    {
      let coordinate = remaining;

      b_offset += coordinate * params.b_strides[0][0];
    }
    let a_value = a_values[i];
    let b_value = b_values[b_offset];
    out[i] = apply(a_value, b_value);
  }
  {
    let i = first + 2u;
    var remaining = i;
    var b_offset = 0u;
    {
      let coordinate = remaining % params.shape[0][1];
      remaining /= params.shape[0][1];
      b_offset += coordinate * params.b_strides[0][1];
    }
    {
      let coordinate = remaining;

      b_offset += coordinate * params.b_strides[0][0];
    }
    let a_value = a_values[i];
    let b_value = b_values[b_offset];
    out[i] = apply(a_value, b_value);
  }
  {
    let i = first + 3u;
    var remaining = i;
    var b_offset = 0u;
    {
      let coordinate = remaining % params.shape[0][1];
      remaining /= params.shape[0][1];
      b_offset += coordinate * params.b_strides[0][1];
    }
    {
      let coordinate = remaining;

      b_offset += coordinate * params.b_strides[0][0];
    }
    let a_value = a_values[i];
    let b_value = b_values[b_offset];
    out[i] = apply(a_value, b_value);
  }
}
