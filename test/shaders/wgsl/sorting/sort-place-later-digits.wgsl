@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> order: array<u32>;
@group(0) @binding(2) var<storage, read> counts: array<u32>;
@group(0) @binding(3) var<storage, read> totals: array<u32>;
@group(0) @binding(4) var<storage, read_write> sorted: array<u32>;
struct Params {
  count: u32,
  tiles: u32,
  shift: u32,
}
@group(0) @binding(5) var<uniform> params: Params;

fn flat_group(group: vec3<u32>, groups: vec3<u32>) -> u32 {
  return group.x + groups.x * (group.y + groups.y * group.z);
}

fn flat_index(group: vec3<u32>, groups: vec3<u32>, local: u32, workgroup_size: u32) -> u32 {
  return flat_group(group, groups) * workgroup_size + local;
}

fn entry_at(at: u32) -> u32 {
  return order[at];
}

fn digit_at(at: u32) -> u32 {
  return (keys[entry_at(at)] >> params.shift) & 255u;
}

const NOTHING = 0xffffffffu;
var<workgroup> codes: array<u32, 1024>;
/** Where the entries of each digit go, less where they begin in the sorted tile. */
var<workgroup> shifts: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let tile = flat_group(group, groups);
  if (tile >= params.tiles) {
    return;
  }
  for (var t = 0u; t < 4u; t++) {
    let place = t * 256u + local;
    let at = tile * 1024u + place;
    var code = NOTHING;
    if (at < params.count) {
      code = (digit_at(at) << 16u) | place;
    }
    codes[place] = code;
  }

  // Exclusive prefix of the digits' totals.
  let own = totals[local];
  shifts[local] = own;
  workgroupBarrier();
  for (var reach = 1u; reach < 256u; reach <<= 1u) {
    var below = 0u;
    if (local >= reach) {
      below = shifts[local - reach];
    }
    workgroupBarrier();
    shifts[local] += below;
    workgroupBarrier();
  }
  shifts[local] += counts[local * params.tiles + tile] - own;

  for (var block = 2u; block <= 1024u; block <<= 1u) {
    for (var reach = block >> 1u; reach > 0u; reach >>= 1u) {
      for (var t = 0u; t < 2u; t++) {
        let pair = t * 256u + local;
        let low = 2u * reach * (pair / reach) + pair % reach;
        let high = low + reach;
        let a = codes[low];
        let b = codes[high];
        let ascending = (low & block) == 0u;
        if ((a > b) == ascending) {
          codes[low] = b;
          codes[high] = a;
        }
      }
      workgroupBarrier();
    }
  }

  // The first of each digit in the sorted tile; differences wrap around and come out right.
  for (var t = 0u; t < 4u; t++) {
    let place = t * 256u + local;
    let code = codes[place];
    if (code != NOTHING) {
      if (place == 0u || (codes[max(place, 1u) - 1u] >> 16u) != (code >> 16u)) {
        shifts[code >> 16u] -= place;
      }
    }
  }
  workgroupBarrier();
  for (var t = 0u; t < 4u; t++) {
    let place = t * 256u + local;
    let code = codes[place];
    if (code != NOTHING) {
      sorted[shifts[code >> 16u] + place] = entry_at(tile * 1024u + (code & 0xffffu));
    }
  }
}
