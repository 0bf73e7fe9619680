@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
struct Params {
  shape: array<vec4<u32>, 2>,
  sizes: array<vec4<u32>, 2>,
  before: array<vec4<u32>, 2>,
  count: u32,
  groups: u32,
  fill: u32,
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
  // The last group of a line starts earlier instead of running past its end: some elements are computed twice.
  let first = min((unit % params.groups) * 1u, params.shape[0][1] - 1u);
  var remaining = unit / params.groups;
  let i = remaining * params.shape[0][1] + first;
  let size = i32(params.sizes[0][1]);
  let filling = u32(params.fill);
  var x_at = 0;
  var stride = size;
  var inside = true;
  {
    let size = i32(params.sizes[0][0]);
    var place = i32(remaining % params.shape[0][0]) - i32(params.before[0][0]);
    remaining /= params.shape[0][0];
    place = clamp(place, 0, size - 1);
    x_at += place * stride;
    stride *= size;
  }
  let line_inside = inside;
  {
    var inside = line_inside;
    var place = i32(first) + 0 - i32(params.before[0][1]);
    place = clamp(place, 0, size - 1);
    out[i + 0u] = select(filling, x[x_at + place], inside);
  }
}
