@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> updates: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  count: u32,
  outer: u32,
  inner: u32,
  entries: u32,
  rows: u32,
  entry_begin: u32,
  entry_end: u32,
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
  let within = i % params.inner;
  let part = (i / params.inner) % 4u;
  let block = i / params.inner / 4u;
  let batch = block / params.outer;
  let base = block * params.rows;
  let first = batch * params.entries;
  let first_row = batch * params.rows;
  for (var k = params.entry_begin; k < params.entry_end; k++) {
    var row = keys[first + k] - first_row;
    // A separate loop: a software rasterizer computes what a branch guards even where no one takes it.
    while ((row & 3u) != part && k + 1u < params.entry_end) {
      k += 1u;
      row = keys[first + k] - first_row;
    }
    if (row < params.rows && (row & 3u) == part) {
      let at = (base + row) * params.inner + within;
      out[at] += updates[(block * params.entries + k) * params.inner + within];
    }
  }
}
