@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
struct Params {
  shape: array<vec4<u32>, 2>,
  x_strides: array<vec4<i32>, 2>,
  out_strides: array<vec4<i32>, 2>,
  count: u32,
  groups: u32,
  x_offset: i32,
  out_offset: i32,
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
  if (unit >= params.count) {
    return;
  }
  // The last group of a line starts earlier instead of running past its end: some elements are copied twice.
  let first = i32(min((unit % params.groups) * 1u, params.shape[0][0] - 1u));
  var remaining = unit / params.groups;
  let x_step = params.x_strides[0][0];
  let out_step = 1;
  var x_at = params.x_offset + first * x_step;
  var out_at = params.out_offset + first * out_step;
  out_at += i32(remaining * params.shape[0][0]);

  out[out_at + 0 * out_step] = x[x_at + 0 * x_step];
}
