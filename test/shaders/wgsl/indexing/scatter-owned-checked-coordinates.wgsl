@group(0) @binding(0) var<storage, read> indices: array<i32>;
@group(0) @binding(1) var<storage, read> updates: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
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
  fault_slot: u32,
}
@group(0) @binding(3) var<uniform> params: Params;
@group(0) @binding(4) var<storage, read_write> fault_words: array<atomic<u32>>;

fn report_fault(position: u32, count: u32, value: u32) {
  let rank = count - position;
  let rank_bits = 32u - countLeadingZeros(count);
  let piece_bits = 32u - rank_bits;
  let piece_mask = (1u << piece_bits) - 1u;
  let base = params.fault_slot * 32u;
  var remaining = value;
  for (var word = 0u; word * piece_bits < 32u; word++) {
    let code = (rank << piece_bits) | (remaining & piece_mask);
    // Most faults come after an earlier one: a plain load avoids the contended atomic for them.
    if (atomicLoad(&fault_words[base + word]) < code) {
      atomicMax(&fault_words[base + word], code);
    }
    remaining >>= piece_bits;
  }
}

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

fn row_of_reporting(entry: u32, reports: bool) -> u32 {
  let first = entry * 2u;
  var flat = entry / params.slab;
  {
    let index = indices[first + 0u];
    let size = params.sizes[0][0];
    let row = resolve(index, size);
    if (reports && row == OUTSIDE) {
      report_fault(first + 0u, params.positions, bitcast<u32>(index));
    }
    flat = select(flat * size + row, OUTSIDE, (flat == OUTSIDE) | (row == OUTSIDE));
  }
  {
    let index = indices[first + 1u];
    let size = params.sizes[0][1];
    let row = resolve(index, size);
    if (reports && row == OUTSIDE) {
      report_fault(first + 1u, params.positions, bitcast<u32>(index));
    }
    flat = select(flat * size + row, OUTSIDE, (flat == OUTSIDE) | (row == OUTSIDE));
  }
  return flat;
}

@compute @workgroup_size(4)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 4u);
  if (i >= params.count) {
    return;
  }
  let within = i % params.inner;
  let table = i / params.inner;
  let block = table % params.blocks;
  let start = table / params.blocks * params.chunk;
  let first = block / params.outer * params.entries;
  // A software rasterizer computes what a branch guards even where no one takes it, so the report is left until after the loop.
  var fault = OUTSIDE;
  let end = min(start + params.chunk, params.entries);
  for (var begin = start; begin < end; begin += 4u) {
    {
      let k = begin + 0u;
      let row = row_of(first + k, false);
      let at = (table * params.rows + min(row, params.rows - 1u)) * params.inner + within;
      let update = updates[(block * params.entries + k) * params.inner + within];
      out[at] += select(f32(), update, (row < params.rows) & (k < end));
      fault = min(fault, select(OUTSIDE, k, (row == OUTSIDE) & (k < end)));
    }
    {
      let k = begin + 1u;
      let row = row_of(first + k, false);
      let at = (table * params.rows + min(row, params.rows - 1u)) * params.inner + within;
      let update = updates[(block * params.entries + k) * params.inner + within];
      out[at] += select(f32(), update, (row < params.rows) & (k < end));
      fault = min(fault, select(OUTSIDE, k, (row == OUTSIDE) & (k < end)));
    }
    {
      let k = begin + 2u;
      let row = row_of(first + k, false);
      let at = (table * params.rows + min(row, params.rows - 1u)) * params.inner + within;
      let update = updates[(block * params.entries + k) * params.inner + within];
      out[at] += select(f32(), update, (row < params.rows) & (k < end));
      fault = min(fault, select(OUTSIDE, k, (row == OUTSIDE) & (k < end)));
    }
    {
      let k = begin + 3u;
      let row = row_of(first + k, false);
      let at = (table * params.rows + min(row, params.rows - 1u)) * params.inner + within;
      let update = updates[(block * params.entries + k) * params.inner + within];
      out[at] += select(f32(), update, (row < params.rows) & (k < end));
      fault = min(fault, select(OUTSIDE, k, (row == OUTSIDE) & (k < end)));
    }
  }
  if (fault != OUTSIDE && within == 0u && block % params.outer == 0u) {
    _ = row_of_reporting(first + fault, true);
  }
}
