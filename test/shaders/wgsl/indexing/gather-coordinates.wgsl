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
  return u32(clamp(index, 0, i32(limit) - 1));
}

fn row_of(entry: u32, reports: bool) -> u32 {
  let first = entry * 2u;
  var flat = entry / params.slab;
  {
    let index = indices[first + 0u];
    let size = params.sizes[0][0];
    let row = resolve(index, size);

    flat = select(flat * size + row, OUTSIDE, (flat == OUTSIDE) | (row == OUTSIDE));
  }
  {
    let index = indices[first + 1u];
    let size = params.sizes[0][1];
    let row = resolve(index, size);

    flat = select(flat * size + row, OUTSIDE, (flat == OUTSIDE) | (row == OUTSIDE));
  }
  return flat;
}

fn element_of(row: u32, base: u32) -> u32 {
  // Always reads, which costs less than a branch. WebGPU defines reads beyond the table.
  return select(x[base + row], params.fill, row == OUTSIDE);
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
  // The last one starts earlier instead of running past the end: some entries are moved twice.
  let first = min(i, params.count - 1u);
  out[first + 0u] = element_of(row_of(first + 0u, true), 0u);
}
