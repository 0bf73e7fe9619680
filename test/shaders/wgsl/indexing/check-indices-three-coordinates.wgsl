@group(0) @binding(0) var<storage, read> indices: array<i32>;
struct Params {
  sizes: array<vec4<u32>, 2>,
  limit: u32,
  span: u32,
  slab: u32,
  positions: u32,
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

// Sets the signs of indices outside: their own, or those of their distances to the last row. In software, comparisons take longer.
fn signs_of(at: u32) -> i32 {
  let given = bitcast<i32>(indices[at]);
  return given | (bitcast<i32>(params.sizes[at % 3u / 4u][at % 3u % 4u]) - 1 - given);
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let first = flat_index(group, groups, local, 64u) * 64u;
  if (first >= params.positions) {
    return;
  }
  // Searches full vectors for an invalid index. What is read beyond the end may lead to a search below, which ignores it.
  var signs = i32();
  for (var step = 0u; step < 64u; step += 8u) {
    let at = first / 1u + step;
    signs |= signs_of(at + 0u);
    signs |= signs_of(at + 1u);
    signs |= signs_of(at + 2u);
    signs |= signs_of(at + 3u);
    signs |= signs_of(at + 4u);
    signs |= signs_of(at + 5u);
    signs |= signs_of(at + 6u);
    signs |= signs_of(at + 7u);
  }
  let trouble = any(signs < i32());
  // Then, in that vector only, finds its position.
  for (var step = 0u; trouble && step < 64u; step++) {
    let position = first + step;
    let given = indices[position];
    if ((position < params.positions) & (bitcast<u32>(given) >= params.sizes[position % 3u / 4u][position % 3u % 4u])) {
      report_fault(position, params.positions, bitcast<u32>(given));
      break;
    }
  }
}
