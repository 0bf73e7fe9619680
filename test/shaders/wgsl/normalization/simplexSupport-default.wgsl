@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
struct Params {
  count: u32,
  n: u32,
  inner: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

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
  let line = flat_index(group, groups, local, 64u);
  if (line >= params.count) {
    return;
  }
  let start = (line / params.inner) * params.n * params.inner + line % params.inner;
  let end = start + params.n * params.inner;
  var high = x[start];
  for (var i = start; i < end; i += params.inner) {
    high = max(high, x[i]);
  }
  // Measured from the largest element, the level is below 0 however sums are rounded: that element stays.
  var level = -1.0;
  var kept = params.n + 1u;
  loop {
    var sum = 0.0;
    var above = 0u;
    for (var i = start; i < end; i += params.inner) {
      let value = x[i] - high;
      if (value > level) {
        sum += value;
        above += 1u;
      }
    }
    if (above >= kept) {
      break;
    }
    kept = above;
    level = (sum - 1.0) / f32(above);
  }
  for (var i = start; i < end; i += params.inner) {
    out[i] = select(0.0, 1.0, x[i] - high > level);
  }
}
