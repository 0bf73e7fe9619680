@group(0) @binding(0) var<storage, read> x: array<u32>;
struct Params {
  count: u32,
  fault_slot: u32,
}
@group(0) @binding(1) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> fault_words: array<atomic<u32>>;

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

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, 256u);
  // An exponent of all ones is an infinity or a NaN.
  if (i < params.count && (x[i] & 0x7f800000u) == 0x7f800000u) {
    report_fault(i, params.count, x[i]);
  }
}
