/**
 * @file The k largest elements of each row of x [rows, n], in descending order; of equal ones the one with the lower index
 * first, so that an order of all entries (key, index) is given and every entry has one place.
 *
 *     runs    cuts rows into runs of `runLength` elements and sorts each: an entry's place is the number of entries before it
 *     merge   merges neighbouring runs in pairs: an entry's place is its place in its own run, plus the number of entries of
 *             the other run before it, found by bisection
 *
 * Runs keep their first k entries alone. Merges go on until one run is left; the last launch writes values and indices.
 * No invocation waits for another, so nothing here needs shared memory or barriers.
 */
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

export type TopKOptions = {
  /** WGSL type of x. */
  type: string;
  /** A u32 that is the larger, the larger `value` is. */
  key: string;
  /** Whether this launch leaves one run, whose values and indices it writes. */
  last: boolean;
};

export const topKWorkgroup = 256;

/** Elements of a sorted run. Each entry is compared with all others of its run, so that it can't be large. */
export const runLength = 64;

const entry = /* wgsl */ `
@compute @workgroup_size(${topKWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${topKWorkgroup}u);
  if (i >= params.count) {
    return;
  }`;

/** An entry is (key, index). Run r of a level covers `params.cover` elements of its row and keeps `params.keep` entries. */
function common({ last }: TopKOptions): string {
  return wgsl`
${flatIndex}
fn precedes(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.x > b.x || (a.x == b.x && a.y < b.y);
}

fn put(row: u32, run: u32, place: u32, entry: vec2<u32>) {
#if ${last}
  let at = row * params.k + place;
  values[at] = x[row * params.n + entry.y];
  indices[at] = i32(entry.y);
#else
  out[(row * params.runs_out + run) * params.keep_out + place] = entry;
#endif
}
`;
}

export function sortRuns(options: TopKOptions): string {
  const { type, key } = options;
  return wgsl`
${common(options)}
${mathFunctions(key)}
fn key_of(value: ${type}) -> u32 {
  return ${key};
}
${entry}
  let row = i / params.n;
  let index = i % params.n;
  let run = index / ${runLength}u;
  let first = run * ${runLength}u;
  let own = vec2<u32>(key_of(x[i]), index);
  var place = 0u;
  for (var other = first; other < min(params.n, first + ${runLength}u); other++) {
    place += u32(precedes(vec2<u32>(key_of(x[row * params.n + other]), other), own));
  }
  if (place < params.keep_out) {
    put(row, run, place, own);
  }
}
`;
}

export function mergeRuns(options: TopKOptions): string {
  return wgsl`
${common(options)}
fn length_of(run: u32) -> u32 {
  return min(params.keep, params.n - run * params.cover);
}
${entry}
  let place = i % params.keep;
  let run = (i / params.keep) % params.runs;
  let row = i / params.keep / params.runs;
  if (place >= length_of(run)) {
    return;
  }
  let own = entries[i];
  var before = 0u;
  let other = run ^ 1u;
  if (other < params.runs) {
    let start = (row * params.runs + other) * params.keep;
    var end = length_of(other);
    while (before < end) {
      let middle = (before + end) / 2u;
      if (precedes(entries[start + middle], own)) {
        before = middle + 1u;
      } else {
        end = middle;
      }
    }
  }
  if (place + before < params.keep_out) {
    put(row, run / 2u, place + before, own);
  }
}
`;
}
