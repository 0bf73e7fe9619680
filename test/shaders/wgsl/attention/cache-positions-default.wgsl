@group(0) @binding(0) var<storage, read> counts: array<i32>;
@group(0) @binding(1) var<storage, read_write> lengths: array<i32>;
@group(0) @binding(2) var<storage, read_write> positions: array<i32>;
struct Params {
  batch: u32,
  queries: u32,
  max_length: u32,
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

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let batch = flat_index(group, groups, local, 64u);
  if (batch >= params.batch) {
    return;
  }
  let length = lengths[batch];
  let given = counts[batch];
  let count = clamp(given, 0, i32(params.queries));
  let fits = length >= 0 && count <= i32(params.max_length) - length && given == count;
  // Of a length that the cache can't have, a sum might not be a number.
  let wanted = select(length, length + count, length >= 0 && length <= i32(params.max_length));
  if (fits) {
    lengths[batch] = length + count;
  } else {
    report_fault(2u * batch + u32(given == count), 2u * params.batch, bitcast<u32>(select(given, wanted, given == count)));
  }
  for (var i = 0; i < i32(params.queries); i++) {
    positions[batch * params.queries + u32(i)] = select(-1, length + i, fits && i < count);
  }
}
