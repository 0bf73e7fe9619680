@group(0) @binding(0) var<storage, read> indices: array<i32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
struct Params {
  sizes: array<vec4<u32>, 2>,
  count: u32,
  inner: u32,
  entries: u32,
  outer: u32,
  rows: u32,
  fill: u32,
  limit: u32,
  span: u32,
  slab: u32,
  positions: u32,
}
@group(0) @binding(3) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

const OUTSIDE = 0xffffffffu;

fn resolve(index: i32, limit: u32) -> u32 {
  if (limit == 0u) {
    return OUTSIDE;
  }
  let remainder = index % i32(limit);
  return u32(select(remainder, remainder + i32(limit), remainder < 0));
}

fn row_of(entry: u32, reports: bool) -> u32 {
  let index = indices[entry];
  let row = resolve(index, params.limit);

  return row;
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 256u) * 1u;
  if (i >= params.count) {
    return;
  }
  let line = i / params.inner;
  let within = i % params.inner;
  // block counts [batch, outer]: each holds all rows of the table.
  let block = line / params.entries;
  let base = block * params.rows;
  let entry = (block / params.outer) * params.entries + line % params.entries;
  let row = row_of(entry, within == 0u && block % params.outer == 0u);
  if (row == OUTSIDE) {
    out[i + 0u] = params.fill;
  } else {
    let start = (base + row) * params.inner + within;
    out[i + 0u] = x[start + 0u];
  }
}
