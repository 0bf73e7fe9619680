@group(0) @binding(0) var<storage, read> indices: array<i32>;
@group(0) @binding(1) var<storage, read> updates: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;
struct Params {
  sizes: array<vec4<u32>, 2>,
  count: u32,
  outer: u32,
  inner: u32,
  entries: u32,
  rows: u32,
  blocks: u32,
  chunk: u32,
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
  let table = i / params.inner;
  let block = table % params.blocks;
  let start = table / params.blocks * params.chunk;
  let first = block / params.outer * params.entries;
  let end = min(start + params.chunk, params.entries);
  for (var begin = start; begin < end; begin += 4u) {
    {
      let k = begin + 0u;
      let row = row_of(first + k, false);
      let at = (table * params.rows + min(row, params.rows - 1u)) * params.inner + within;
      let update = updates[(block * params.entries + k) * params.inner + within];
      out[at] += select(vec4<f32>(), update, (row < params.rows) & (k < end));
    }
    {
      let k = begin + 1u;
      let row = row_of(first + k, false);
      let at = (table * params.rows + min(row, params.rows - 1u)) * params.inner + within;
      let update = updates[(block * params.entries + k) * params.inner + within];
      out[at] += select(vec4<f32>(), update, (row < params.rows) & (k < end));
    }
    {
      let k = begin + 2u;
      let row = row_of(first + k, false);
      let at = (table * params.rows + min(row, params.rows - 1u)) * params.inner + within;
      let update = updates[(block * params.entries + k) * params.inner + within];
      out[at] += select(vec4<f32>(), update, (row < params.rows) & (k < end));
    }
    {
      let k = begin + 3u;
      let row = row_of(first + k, false);
      let at = (table * params.rows + min(row, params.rows - 1u)) * params.inner + within;
      let update = updates[(block * params.entries + k) * params.inner + within];
      out[at] += select(vec4<f32>(), update, (row < params.rows) & (k < end));
    }
  }
}
