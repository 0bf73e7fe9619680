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
  parts: u32,
  bins: u32,
  rows_of_bin: u32,
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

const NOTHING = 0xffffffffu;

// The row in the bin, and the entry, of all that were found.
var<workgroup> codes: array<u32, 2048>;
var<workgroup> found: atomic<u32>;
var<workgroup> found_in_all: u32;
var<workgroup> long_runs: array<u32, 64>;
var<workgroup> long_found: atomic<u32>;
var<workgroup> long_in_all: u32;
var<workgroup> partial_sums: array<vec4<f32>, 256>;

fn row_in_bin(place: u32) -> u32 {
  return codes[place] >> 20u;
}

fn update_at(place: u32, base: u32) -> vec4<f32> {
  return updates[base + (codes[place] & 1048575u) * params.inner];
}

fn sort_codes(count: u32, local: u32) {
  if (count <= 256u) {
    sort_by_rank(count, local);
  } else {
    sort_in_steps(count, local);
  }
}

/** Each goes to the place that is the number of smaller ones: two barriers. No two are equal. */
fn sort_by_rank(count: u32, local: u32) {
  let code = codes[local];
  var rank = 0u;
  for (var other = 0u; other < count; other++) {
    rank += u32(codes[other] < code);
  }
  workgroupBarrier();
  if (local < count) {
    codes[rank] = code;
  }
  workgroupBarrier();
}

/** Bitonic: of the next power of two, with NOTHING in the places beyond. */
fn sort_in_steps(all: u32, local: u32) {
  let count = 1u << (32u - countLeadingZeros(all - 1u));
  for (var place = all + local; place < count; place += 256u) {
    codes[place] = NOTHING;
  }
  workgroupBarrier();
  for (var block = 2u; block <= count; block <<= 1u) {
    for (var reach = block >> 1u; reach > 0u; reach >>= 1u) {
      for (var pair = local; pair < count / 2u; pair += 256u) {
        let low = 2u * reach * (pair / reach) + pair % reach;
        let a = codes[low];
        let b = codes[low + reach];
        if ((a > b) == ((low & block) == 0u)) {
          codes[low] = b;
          codes[low + reach] = a;
        }
      }
      workgroupBarrier();
    }
  }
}

/** Where the run that begins at a place ends. */
fn end_of_run(place: u32, count: u32) -> u32 {
  let row = row_in_bin(place);
  var low = place + 1u;
  var high = count;
  while (low < high) {
    let middle = (low + high) / 2u;
    if (row_in_bin(middle) == row) {
      low = middle + 1u;
    } else {
      high = middle;
    }
  }
  return low;
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let index = flat_group(group, groups);
  if (index >= params.count) {
    return;
  }
  let part = index % params.parts;
  let bin = (index / params.parts) % params.bins;
  let block = index / params.parts / params.bins;
  let batch = block / params.outer;
  // The first of the workgroups that look through this batch reports.
  let reports = part == 0u && bin == 0u && block % params.outer == 0u;
  let first_row = bin * params.rows_of_bin;
  let end_row = min(first_row + params.rows_of_bin, params.rows);
  let lane = local % 16u;
  let team = local / 16u;
  let column = part * 16u + lane;
  let is_inside = column < params.inner;
  let out_base = (block * params.rows + first_row) * params.inner + column;
  let updates_base = block * params.entries * params.inner + column;
  for (var row = team; first_row + row < end_row; row += 16u) {
    if (is_inside) {
      out[out_base + row * params.inner] = vec4<f32>();
    }
  }
  if (local == 0u) {
    atomicStore(&found, 0u);
  }
  workgroupBarrier();
  // The entries that are searched before the sums: all of them at first.
  var window = params.entries;
  var begin = 0u;
  loop {
    if (begin >= params.entries) {
      break;
    }
    let end = min(begin + window, params.entries);
    for (var first = begin; first < end; first += 1024u) {
      let entry_0 = first + 0u + local;
      let row_0 = row_of(batch * params.entries + min(entry_0, end - 1u), reports);
      let entry_1 = first + 256u + local;
      let row_1 = row_of(batch * params.entries + min(entry_1, end - 1u), reports);
      let entry_2 = first + 512u + local;
      let row_2 = row_of(batch * params.entries + min(entry_2, end - 1u), reports);
      let entry_3 = first + 768u + local;
      let row_3 = row_of(batch * params.entries + min(entry_3, end - 1u), reports);
      if (row_0 >= first_row && row_0 < end_row && entry_0 < end) {
        let place = atomicAdd(&found, 1u);
        if (place < 2048u) {
          codes[place] = ((row_0 - first_row) << 20u) | entry_0;
        }
      }
      if (row_1 >= first_row && row_1 < end_row && entry_1 < end) {
        let place = atomicAdd(&found, 1u);
        if (place < 2048u) {
          codes[place] = ((row_1 - first_row) << 20u) | entry_1;
        }
      }
      if (row_2 >= first_row && row_2 < end_row && entry_2 < end) {
        let place = atomicAdd(&found, 1u);
        if (place < 2048u) {
          codes[place] = ((row_2 - first_row) << 20u) | entry_2;
        }
      }
      if (row_3 >= first_row && row_3 < end_row && entry_3 < end) {
        let place = atomicAdd(&found, 1u);
        if (place < 2048u) {
          codes[place] = ((row_3 - first_row) << 20u) | entry_3;
        }
      }
    }
    workgroupBarrier();
    if (local == 0u) {
      found_in_all = atomicExchange(&found, 0u);
    }
    let count = workgroupUniformLoad(&found_in_all);
    if (count > 2048u) {
      // If entries are spread evenly, a window of this size has room for those found; the smallest always has.
      window = max(2048u, (end - begin) / (count / 2048u + 2u));
      continue;
    }
    begin = end;
    if (count == 0u) {
      continue;
    }
    if (local == 0u) {
      atomicStore(&long_found, 0u);
    }
    // What was written to the output before is read here.
    storageBarrier();
    workgroupBarrier();
    sort_codes(count, local);
    for (var place = team; place < count; place += 16u) {
      let row = row_in_bin(place);
      if (place > 0u && row_in_bin(place - 1u) == row) {
        continue;
      }
      if (place + 32u < count && row_in_bin(place + 32u) == row) {
        if (lane == 0u) {
          long_runs[atomicAdd(&long_found, 1u)] = place;
        }
        continue;
      }
      if (is_inside) {
        var total = vec4<f32>();
        for (var next = place; next < count && row_in_bin(next) == row; next++) {
          total += update_at(next, updates_base);
        }
        out[out_base + row * params.inner] += total;
      }
    }
    workgroupBarrier();
    if (local == 0u) {
      long_in_all = atomicLoad(&long_found);
    }
    let long_count = workgroupUniformLoad(&long_in_all);
    for (var k = 0u; k < long_count; k++) {
      let place = long_runs[k];
      let end = end_of_run(place, count);
      var total = vec4<f32>();
      if (is_inside) {
        var next = place + team;
        for (; next + 48u < end; next += 64u) {
          // Four loads at a time.
          let pairs = update_at(next, updates_base) + update_at(next + 16u, updates_base);
          total += pairs + (update_at(next + 32u, updates_base) + update_at(next + 48u, updates_base));
        }
        for (; next < end; next += 16u) {
          total += update_at(next, updates_base);
        }
      }
      partial_sums[local] = total;
      workgroupBarrier();
      if (team == 0u && is_inside) {
        for (var other = 1u; other < 16u; other++) {
          total += partial_sums[other * 16u + lane];
        }
        out[out_base + row_in_bin(place) * params.inner] += total;
      }
      workgroupBarrier();
    }
  }
}
