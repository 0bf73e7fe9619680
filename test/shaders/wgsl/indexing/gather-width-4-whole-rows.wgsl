@group(0) @binding(0) var<storage, read> indices: array<i32>;
@group(0) @binding(1) var<storage, read> x: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<u32>>;
struct Params {
  sizes: array<vec4<u32>, 2>,
  count: u32,
  inner: u32,
  groups: u32,
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
  let unit = flat_index(group, groups, local, 256u);
  let line = unit / params.groups;
  let within = min((unit - line * params.groups) * 4u, params.inner - 4u);
  let i = line * params.inner + within;
  if (i >= params.count) {
    return;
  }

  let base = 0u;
  let row = row_of(line, within == 0u);
  if (row == OUTSIDE) {
    out[i + 0u] = vec4<u32>(params.fill);
    out[i + 1u] = vec4<u32>(params.fill);
    out[i + 2u] = vec4<u32>(params.fill);
    out[i + 3u] = vec4<u32>(params.fill);
  } else {
    let start = (base + row) * params.inner + within;
    out[i + 0u] = x[start + 0u];
    out[i + 1u] = x[start + 1u];
    out[i + 2u] = x[start + 2u];
    out[i + 3u] = x[start + 3u];
  }
}
