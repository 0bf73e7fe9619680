@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
struct Params {
  count: u32,
  n: u32,
  m: u32,
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
  let n = params.n;
  let m = params.m;
  let base = i / m * n * n;
  let first = i / m * n * m + i % m;
  for (var step = 0u; step < n; step++) {
    let row = step;
    var rest = b[first + row * m];
    for (var k = 0u; k < step; k++) {
      let column = k;
      rest -= a[base + row * n + column] * out[first + column * m];
    }
    out[first + row * m] = rest;
  }
}
