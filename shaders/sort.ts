/**
 * @file Groups entries by key: `order` lists the entries sorted by key, those of one key in ascending order;
 * `offsets[key]` is where a key's list begins. Keys go from 0 to `total`; entries of key `total` are ignored.
 *
 * `count`, `scan`, `place` are one pass of a stable radix sort by eight bits (least significant first), in tiles of
 * 1024 entries; `bounds` finds the lists in the result. `countingSort` does all of it in one invocation, which is the
 * fastest way on a CPU, where barriers are expensive. Both give the same stable order: same input, same bits.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export const sortWorkgroup = 256;
/** Entries in a tile. */
export const tileLength = 1024;
/** Values of a digit. */
export const radix = 256;

/** `first`: whether this is the first pass, before which entries are in their original order. */
export type RadixOptions = { first: boolean };

const perInvocation = tileLength / sortWorkgroup;

const entryAt = ({ first }: RadixOptions) => /* wgsl */ `
fn entry_at(at: u32) -> u32 {
  return ${first ? 'at' : 'order[at]'};
}

fn digit_at(at: u32) -> u32 {
  return (keys[entry_at(at)] >> params.shift) & ${radix - 1}u;
}
`;

const head = /* wgsl */ `
@compute @workgroup_size(${sortWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {`;

/** counts [radix, tiles]: how often each digit occurs in a tile. One workgroup per tile. */
export function countDigits(options: RadixOptions): string {
  return wgsl`
${flatIndex}
${entryAt(options)}
var<workgroup> histogram: array<atomic<u32>, ${radix}>;
${head}
  let tile = flat_group(group, groups);
  if (tile >= params.tiles) {
    return;
  }
  for (var t = 0u; t < ${perInvocation}u; t++) {
    let at = tile * ${tileLength}u + t * ${sortWorkgroup}u + local;
    if (at < params.count) {
      atomicAdd(&histogram[digit_at(at)], 1u);
    }
  }
  workgroupBarrier();
  counts[local * params.tiles + tile] = atomicLoad(&histogram[local]);
}
`;
}

/** Turns each digit's counts into exclusive running sums over the tiles; `totals` gets the total. One workgroup per digit. */
export function scanDigits(): string {
  return wgsl`
var<workgroup> sums: array<u32, ${sortWorkgroup}>;
${head}
  let base = group.x * params.tiles;
  var before = 0u;
  for (var start = 0u; start < params.tiles; start += ${sortWorkgroup}u) {
    let tile = start + local;
    var own = 0u;
    if (tile < params.tiles) {
      own = counts[base + tile];
    }
    sums[local] = own;
    workgroupBarrier();
    let used = min(${sortWorkgroup}u, params.tiles - start);
    for (var reach = 1u; reach < used; reach <<= 1u) {
      var below = 0u;
      if (local >= reach) {
        below = sums[local - reach];
      }
      workgroupBarrier();
      sums[local] += below;
      workgroupBarrier();
    }
    if (tile < params.tiles) {
      counts[base + tile] = before + sums[local] - own;
    }
    before += sums[used - 1u];
    workgroupBarrier();
  }
  if (local == 0u) {
    totals[group.x] = before;
  }
}
`;
}

/**
 * Moves every entry to its place by this digit. One workgroup per tile: it sorts the tile by (digit, place in the tile) with
 * a bitonic sort in workgroup memory, so that an entry's rank within its digit is a difference of places.
 */
export function placeDigits(options: RadixOptions): string {
  return wgsl`
${flatIndex}
${entryAt(options)}
const NOTHING = 0xffffffffu;
var<workgroup> codes: array<u32, ${tileLength}>;
/** Where the entries of each digit go, less where they begin in the sorted tile. */
var<workgroup> shifts: array<u32, ${radix}>;
${head}
  let tile = flat_group(group, groups);
  if (tile >= params.tiles) {
    return;
  }
  for (var t = 0u; t < ${perInvocation}u; t++) {
    let place = t * ${sortWorkgroup}u + local;
    let at = tile * ${tileLength}u + place;
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
  for (var reach = 1u; reach < ${radix}u; reach <<= 1u) {
    var below = 0u;
    if (local >= reach) {
      below = shifts[local - reach];
    }
    workgroupBarrier();
    shifts[local] += below;
    workgroupBarrier();
  }
  shifts[local] += counts[local * params.tiles + tile] - own;

  for (var block = 2u; block <= ${tileLength}u; block <<= 1u) {
    for (var reach = block >> 1u; reach > 0u; reach >>= 1u) {
      for (var t = 0u; t < ${perInvocation / 2}u; t++) {
        let pair = t * ${sortWorkgroup}u + local;
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
  for (var t = 0u; t < ${perInvocation}u; t++) {
    let place = t * ${sortWorkgroup}u + local;
    let code = codes[place];
    if (code != NOTHING) {
      if (place == 0u || (codes[max(place, 1u) - 1u] >> 16u) != (code >> 16u)) {
        shifts[code >> 16u] -= place;
      }
    }
  }
  workgroupBarrier();
  for (var t = 0u; t < ${perInvocation}u; t++) {
    let place = t * ${sortWorkgroup}u + local;
    let code = codes[place];
    if (code != NOTHING) {
      sorted[shifts[code >> 16u] + place] = entry_at(tile * ${tileLength}u + (code & 0xffffu));
    }
  }
}
`;
}

/** offsets[key] for keys from 0 to `total`: the first place whose key is not less, by bisection. */
export function keyBounds(): string {
  return wgsl`
${flatIndex}
${head}
  let key = flat_index(group, groups, local, ${sortWorkgroup}u);
  if (key > params.total) {
    return;
  }
  var low = 0u;
  var high = params.count;
  while (low < high) {
    let middle = (low + high) / 2u;
    if (keys[order[middle]] < key) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  offsets[key] = low;
}
`;
}

/**
 * One invocation; `offsets` must hold total + 3 zeros at first. A launch executes a part of each loop, or all if they are
 * short.
 */
export function countingSort(): string {
  return wgsl`
@compute @workgroup_size(1)
fn main() {
  // Counted two places on and placed one place on: each list's begin moves to its end, which is the next one's begin.
  for (var entry = params.count_begin; entry < params.count_end; entry++) {
    offsets[keys[entry] + 2u] += 1u;
  }
  var before = offsets[params.sum_begin + 1u];
  for (var key = params.sum_begin + 2u; key < params.sum_end + 2u; key++) {
    before += offsets[key];
    offsets[key] = before;
  }
  for (var entry = params.place_begin; entry < params.place_end; entry++) {
    let slot = keys[entry] + 1u;
    let at = offsets[slot];
    order[at] = entry;
    offsets[slot] = at + 1u;
  }
}
`;
}
