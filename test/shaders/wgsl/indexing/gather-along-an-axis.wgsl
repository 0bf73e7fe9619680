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
  return select(OUTSIDE, u32(index), bitcast<u32>(index) < limit);
}

// The row of an entry of slab `outer`, with its place along the innermost axes.
fn row_along(entry: u32, outer: u32, within: u32, reports: bool) -> u32 {
  let index = indices[entry];
  let row = resolve(index, params.limit);

  return select((outer * params.limit + row) * params.span + within, OUTSIDE, row == OUTSIDE);
}

fn row_of(entry: u32, reports: bool) -> u32 {
  return row_along(entry, entry / params.slab, entry % params.span, reports);
}

fn element_of(row: u32, base: u32) -> u32 {
  // Always reads, which costs less than a branch. WebGPU defines reads beyond the table.
  return select(x[base + row], params.fill, row == OUTSIDE);
}

fn wrapped(within: u32) -> u32 {
  return select(select(within, within - params.span, within >= params.span), 0u, params.span == 1u);
}
@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 256u) * 4u;
  if (i >= params.count) {
    return;
  }
  // The last one starts earlier instead of running past the end: some entries are moved twice.
  let first = min(i, params.count - 4u);
  let slab = first / params.slab;
  let rest = first - slab * params.slab;
  let within = first % params.span;
  out[first + 0u] = element_of(row_along(first + 0u, slab + select(0u, 1u, rest + 0u >= params.slab), wrapped(within + 0u), true), 0u);
  out[first + 1u] = element_of(row_along(first + 1u, slab + select(0u, 1u, rest + 1u >= params.slab), wrapped(within + 1u), true), 0u);
  out[first + 2u] = element_of(row_along(first + 2u, slab + select(0u, 1u, rest + 2u >= params.slab), wrapped(within + 2u), true), 0u);
  out[first + 3u] = element_of(row_along(first + 3u, slab + select(0u, 1u, rest + 3u >= params.slab), wrapped(within + 3u), true), 0u);
}
