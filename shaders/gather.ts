/**
 * @file Gather: the rows of a table that indices name. An entry's row is one run of `inner` elements in each of `outer`
 * blocks of its batch: x [batch, outer, rows, inner] → out [batch, outer, entries, inner].
 *
 * One invocation moves `run` neighbours of a row, each an element or four of them (`width`); or, where a row is a single
 * element, as many neighbouring entries. Values move as bits, so that every dtype shares a pipeline. Of the many invocations
 * that read an index, the first alone reports it.
 */
import { flatIndex } from './lib/indexing.ts';
import { indexLibrary, type IndexLibraryOptions } from './lib/indices.ts';
import { wgsl } from './lib/wgsl.ts';

export type GatherOptions = IndexLibraryOptions & {
  /** True where batch and outer are 1. */
  flat: boolean;
  width: 1 | 4;
  /**
   * Divides `inner`, so that no invocation meets two rows. Where rows are `single`: at most `count`, and a divisor of the
   * entries of a batch where it isn't `flat`, so that no invocation meets two blocks.
   */
  run: number;
  /** True where a row is one element of its width: entries follow each other then. */
  single: boolean;
};

export const gatherWorkgroup = 256;

export function gather({ flat, width, run, single, ...index }: GatherOptions): string {
  const steps = Array.from({ length: run }, (_, i) => `${i}u`);
  const filled = width === 4 ? 'vec4<u32>(params.fill)' : 'params.fill';
  return wgsl`
${flatIndex}
${indexLibrary(index)}
#if ${single}
fn element_of(entry: u32, base: u32, reports: bool) -> ${width === 4 ? 'vec4<u32>' : 'u32'} {
  let row = row_of(entry, reports);
  // Reads something in any case, which costs less than a branch.
  return select(x[base + min(row, params.rows - 1u)], ${filled}, row == OUTSIDE);
}
#endif
@compute @workgroup_size(${gatherWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${gatherWorkgroup}u) * ${run}u;
  if (i >= params.count) {
    return;
  }
#if ${single}
  // The last one begins earlier, rather than to end beyond the end: some entries are moved twice.
  let first = min(i, params.count - ${run}u);
#if ${flat}
  let entry = first;
  let base = 0u;
  let reports = true;
#else
  let block = first / params.entries;
  let base = block * params.rows;
  let entry = (block / params.outer) * params.entries + first % params.entries;
  let reports = block % params.outer == 0u;
#endif
  ${steps.map((step) => `out[first + ${step}] = element_of(entry + ${step}, base, reports);`).join('\n  ')}
#else
  let line = i / params.inner;
  let within = i % params.inner;
#if ${flat}
  let base = 0u;
  let row = row_of(line, within == 0u);
#else
  // block counts [batch, outer]: each holds all rows of the table.
  let block = line / params.entries;
  let base = block * params.rows;
  let entry = (block / params.outer) * params.entries + line % params.entries;
  let row = row_of(entry, within == 0u && block % params.outer == 0u);
#endif
  if (row == OUTSIDE) {
    ${steps.map((step) => `out[i + ${step}] = ${filled};`).join('\n    ')}
  } else {
    let start = (base + row) * params.inner + within;
    ${steps.map((step) => `out[i + ${step}] = x[start + ${step}];`).join('\n    ')}
  }
#endif
}
`;
}
