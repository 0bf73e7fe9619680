/**
 * @file The k largest elements of each row of x [rows, n], in descending order; among equal ones, the lower index comes
 * first, which defines a total order of entries (key, index).
 *
 *     select  divides rows into runs, and finds the first few entries of each by insertion into a short list
 *     sort    divides rows into short runs and sorts each: an entry's place is the number of entries before it
 *     merge   merges adjacent runs in pairs: an entry's place is its place in its own run, plus the number of entries of
 *             the other run before it, found by bisection
 *
 * Runs come from `select` if k is small, otherwise from `sort`, and keep only their first k entries. Merges go on until one
 * run is left; the last launch writes values and indices. No invocation waits for another, so nothing here needs workgroup
 * memory or barriers.
 */
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

export type TopKOptions = {
  job: 'select' | 'sort' | 'merge';
  /** WGSL type of x. */
  type: string;
  /** A u32 key in the order of `value`. */
  key: string;
  /** Elements of x per read; rows and runs are multiples of it. */
  width: 1 | 4;
  /** Capacity of the list of `select`; 0 for other jobs. */
  room: number;
  /** Whether this launch leaves one run, whose values and indices it writes. */
  last: boolean;
};

export const topKWorkgroup = 64;

const head = /* wgsl */ `
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

/** An entry is (key, index). Run r of a row covers `params.cover` elements, and keeps `params.keep` entries. */
export function topK(options: TopKOptions): string {
  const { job, type, key, width, last } = options;
  return wgsl`
${flatIndex}
${mathFunctions(key)}
fn precedes(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.x > b.x || (a.x == b.x && a.y < b.y);
}

fn key_of(value: ${type}) -> u32 {
  return ${key};
}

#if ${last || job !== 'merge'}
fn element(at: u32) -> ${type} {
  return ${width === 4 ? 'x[at / 4u][at % 4u]' : 'x[at]'};
}
#endif

fn put(row: u32, run: u32, place: u32, entry: vec2<u32>) {
#if ${last}
  let at = row * params.k + place;
  values[at] = element(row * params.n + entry.y);
  indices[at] = i32(entry.y);
#else
  out[(row * params.runs_out + run) * params.keep_out + place] = entry;
#endif
}
${jobs[job](options)}
`;
}

const jobs = { select, sort, merge };

/** Calls `visit(key, index)` for elements first to end of a row, in order. */
function eachElement(width: 1 | 4, visit: (key: string, index: string) => string): string {
  if (width === 1) {
    return `for (var e = first; e < end; e++) {
    ${visit('key_of(x[row * params.n + e])', 'e')}
  }`;
  }
  const lanes = ['x', 'y', 'z', 'w'].map((lane, l) => visit(`key_of(four.${lane})`, `e + ${l}u`));
  return `for (var e = first; e < end; e += 4u) {
    let four = x[(row * params.n + e) / 4u];
    ${lanes.join('\n    ')}
  }`;
}

function select({ width, room }: TopKOptions): string {
  return wgsl`
var<private> best: array<vec2<u32>, ${room}>;

fn consider(entry: vec2<u32>) {
  if (!precedes(entry, best[${room - 1}])) {
    return;
  }
  var place = ${room - 1}u;
  for (; place > 0u && precedes(entry, best[place - 1u]); place--) {
    best[place] = best[place - 1u];
  }
  best[place] = entry;
}
${head}
  let run = i % params.runs_out;
  let row = i / params.runs_out;
  let first = run * params.cover;
  let end = min(params.n, first + params.cover);
  for (var place = 0u; place < ${room}u; place++) {
    best[place] = vec2<u32>(0u, 0xffffffffu);
  }
  ${eachElement(width, (key, index) => `consider(vec2<u32>(${key}, ${index}));`)}
  for (var place = 0u; place < min(params.keep_out, end - first); place++) {
    put(row, run, place, best[place]);
  }
}
`;
}

function sort({ width }: TopKOptions): string {
  return wgsl`
${head}
  let row = i / params.n;
  let index = i % params.n;
  let run = index / params.cover;
  let first = run * params.cover;
  let end = min(params.n, first + params.cover);
  let own = vec2<u32>(key_of(element(i)), index);
  var place = 0u;
  ${eachElement(width, (key, other) => `place += u32(precedes(vec2<u32>(${key}, ${other}), own));`)}
  if (place < params.keep_out) {
    put(row, run, place, own);
  }
}
`;
}

function merge(): string {
  return wgsl`
fn length_of(run: u32) -> u32 {
  return min(params.keep, params.n - run * params.cover);
}
${head}
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
