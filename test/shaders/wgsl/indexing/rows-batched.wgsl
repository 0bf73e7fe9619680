@group(0) @binding(0) var<storage, read> indices: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
struct Params {
  sizes: array<vec4<u32>, 2>,
  count: u32,
  entries: u32,
  rows: u32,
  total: u32,
  limit: u32,
  span: u32,
  slab: u32,
  positions: u32,
}
@group(0) @binding(2) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

const OUTSIDE = 0xffffffffu;

fn resolve(index: i32, limit: u32) -> u32 {
  return select(OUTSIDE, u32(index), bitcast<u32>(index) < limit);
}

fn row_of(entry: u32, reports: bool) -> u32 {
  let index = indices[entry];
  let row = resolve(index, params.limit);

  return row;
}

fn find(entry: u32) {
  let row = row_of(entry, true);
  out[entry] = select((entry / params.entries) * params.rows + row, params.total, row == OUTSIDE);
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let entry = flat_index(group, groups, local, 256u) * 8u;
  if (entry >= params.count) {
    return;
  }
  // The last one starts earlier instead of running past the end: some rows are found twice.
  let first = min(entry, params.count - 8u);
  find(first + 0u);
  find(first + 1u);
  find(first + 2u);
  find(first + 3u);
  find(first + 4u);
  find(first + 5u);
  find(first + 6u);
  find(first + 7u);
}
