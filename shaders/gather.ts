/**
 * @file Gather: the rows of a table that indices name. An entry's row is one run of `inner` elements in each of `outer`
 * blocks of its batch: x [batch, outer, rows, inner] → out [batch, outer, entries, inner].
 *
 * One invocation moves one element, or four neighbours of a row (`width`). Values move as bits, so that every dtype
 * shares a pipeline. Of the many invocations that read an index, the first alone reports it.
 */
import { flatIndex } from './lib/indexing.ts';
import { indexLibrary, type IndexLibraryOptions } from './lib/indices.ts';
import { wgsl } from './lib/wgsl.ts';

export type GatherOptions = IndexLibraryOptions & {
  /** True where batch and outer are 1. */
  flat: boolean;
  width: 1 | 4;
};

export const gatherWorkgroup = 256;

export function gather({ flat, width, ...index }: GatherOptions): string {
  return wgsl`
${flatIndex}
${indexLibrary(index)}
@compute @workgroup_size(${gatherWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${gatherWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let run = i / params.inner;
  let within = i % params.inner;
#if ${flat}
  let base = 0u;
  let row = row_of(run, within == 0u);
#else
  // block counts [batch, outer]: each holds all rows of the table.
  let block = run / params.entries;
  let base = block * params.rows;
  let entry = (block / params.outer) * params.entries + run % params.entries;
  let row = row_of(entry, within == 0u && block % params.outer == 0u);
#endif
  if (row == OUTSIDE) {
#if ${width === 4}
    out[i] = vec4<u32>(params.fill);
#else
    out[i] = params.fill;
#endif
  } else {
    out[i] = x[(base + row) * params.inner + within];
  }
}
`;
}
