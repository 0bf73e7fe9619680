/**
 * @file Scatter-add in one launch: every workgroup owns a bin of consecutive rows (and some columns of them), searches all
 * entries of its batch, and sums those of its rows. Entries that it finds are sorted by row and then by entry, in
 * workgroup memory, so that the same input gives the same bits regardless of which invocation found them. If it finds more
 * than fit there, it searches in smaller windows. On a GPU, such short launches mostly wait, so few steps follow one another.
 *
 * Updates [batch, outer, entries, inner] → out [batch, outer, rows, inner]. `lanes` invocations share a row; the groups of a
 * workgroup process the runs of rows in rotation, and share long runs.
 */
import { flatIndex } from './lib/indexing.ts';
import { indexLibrary, type IndexLibraryOptions } from './lib/indices.ts';
import { repeat } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

const binnedWorkgroup = 256;
/** Bits of a code for the entry; the others are for the row in the bin. */
const entryBits = 20;
const maxBinnedEntries = 2 ** entryBits;
export const maxRowsOfBin = 2 ** (32 - entryBits) - 1;

/** Codes that workgroup memory has room for. */
const capacity = 2048;
/** Indices that each invocation reads, all in flight together. */
const entriesAtOnce = 4;
/** The maximum number of entries of one row that a single group sums. */
const longRun = 32;

export type BinnedScatterOptions = IndexLibraryOptions & {
  type: string;
  width: 1 | 4;
  /** Invocations that share a row: a power of two up to the workgroup. */
  lanes: number;
};

export function binnedScatter({ type, width, lanes, ...index }: BinnedScatterOptions): string {
  const element = width === 4 ? `vec4<${type}>` : type;
  const groups = binnedWorkgroup / lanes;
  return wgsl`
${flatIndex}
${indexLibrary(index)}
const NOTHING = 0xffffffffu;

// The row in the bin, and the entry, of all that were found.
var<workgroup> codes: array<u32, ${capacity}>;
var<workgroup> found: atomic<u32>;
var<workgroup> found_in_all: u32;
var<workgroup> long_runs: array<u32, ${capacity / longRun}>;
var<workgroup> long_found: atomic<u32>;
var<workgroup> long_in_all: u32;
var<workgroup> partial_sums: array<${element}, ${binnedWorkgroup}>;

fn row_in_bin(place: u32) -> u32 {
  return codes[place] >> ${entryBits}u;
}

fn update_at(place: u32, base: u32) -> ${element} {
  return updates[base + (codes[place] & ${maxBinnedEntries - 1}u) * params.inner];
}

fn sort_codes(count: u32, local: u32) {
  if (count <= ${binnedWorkgroup}u) {
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
  for (var place = all + local; place < count; place += ${binnedWorkgroup}u) {
    codes[place] = NOTHING;
  }
  workgroupBarrier();
  for (var block = 2u; block <= count; block <<= 1u) {
    for (var reach = block >> 1u; reach > 0u; reach >>= 1u) {
      for (var pair = local; pair < count / 2u; pair += ${binnedWorkgroup}u) {
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

@compute @workgroup_size(${binnedWorkgroup})
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
  let lane = local % ${lanes}u;
  let team = local / ${lanes}u;
  let column = part * ${lanes}u + lane;
  let is_inside = column < params.inner;
  let out_base = (block * params.rows + first_row) * params.inner + column;
  let updates_base = block * params.entries * params.inner + column;
  for (var row = team; first_row + row < end_row; row += ${groups}u) {
    if (is_inside) {
      out[out_base + row * params.inner] = ${element}();
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
    for (var first = begin; first < end; first += ${entriesAtOnce * binnedWorkgroup}u) {
      ${repeat(
        entriesAtOnce,
        (t) => `let entry_${t} = first + ${t * binnedWorkgroup}u + local;
      let row_${t} = row_of(batch * params.entries + min(entry_${t}, end - 1u), reports);`,
      )}
      ${repeat(
        entriesAtOnce,
        (t) => `if (row_${t} >= first_row && row_${t} < end_row && entry_${t} < end) {
        let place = atomicAdd(&found, 1u);
        if (place < ${capacity}u) {
          codes[place] = ((row_${t} - first_row) << ${entryBits}u) | entry_${t};
        }
      }`,
      )}
    }
    workgroupBarrier();
    if (local == 0u) {
      found_in_all = atomicExchange(&found, 0u);
    }
    let count = workgroupUniformLoad(&found_in_all);
    if (count > ${capacity}u) {
      // If entries are spread evenly, a window of this size has room for those found; the smallest always has.
      window = max(${capacity}u, (end - begin) / (count / ${capacity}u + 2u));
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
    for (var place = team; place < count; place += ${groups}u) {
      let row = row_in_bin(place);
      if (place > 0u && row_in_bin(place - 1u) == row) {
        continue;
      }
      if (place + ${longRun}u < count && row_in_bin(place + ${longRun}u) == row) {
        if (lane == 0u) {
          long_runs[atomicAdd(&long_found, 1u)] = place;
        }
        continue;
      }
      if (is_inside) {
        var total = ${element}();
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
      var total = ${element}();
      if (is_inside) {
        var next = place + team;
        for (; next + ${3 * groups}u < end; next += ${4 * groups}u) {
          // Four loads at a time.
          let pairs = update_at(next, updates_base) + update_at(next + ${groups}u, updates_base);
          total += pairs + (update_at(next + ${2 * groups}u, updates_base) + update_at(next + ${3 * groups}u, updates_base));
        }
        for (; next < end; next += ${groups}u) {
          total += update_at(next, updates_base);
        }
      }
      partial_sums[local] = total;
      workgroupBarrier();
      if (team == 0u && is_inside) {
        for (var other = 1u; other < ${groups}u; other++) {
          total += partial_sums[other * ${lanes}u + lane];
        }
        out[out_base + row_in_bin(place) * params.inner] += total;
      }
      workgroupBarrier();
    }
  }
}
`;
}
