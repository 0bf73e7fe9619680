/**
 * @file Computes the row of every entry, counted through all batches. An entry that selects no row gets `total`, one above
 * the last row. One invocation computes the rows of `perInvocation` consecutive entries.
 */
import { flatIndex } from './lib/indexing.ts';
import { indexLibrary, type IndexLibraryOptions } from './lib/indices.ts';
import { repeat } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

export const rowsWorkgroup = 256;

export type RowsOptions = IndexLibraryOptions & {
  /** At most `count`. */
  perInvocation: number;
  /** Whether there is more than one batch. */
  batched: boolean;
};

export function rows({ perInvocation, batched, ...index }: RowsOptions): string {
  const steps = repeat(perInvocation, (step) => `find(first + ${step}u);`);
  return wgsl`
${flatIndex}
${indexLibrary(index)}
fn find(entry: u32) {
  let row = row_of(entry, true);
#if ${batched}
  out[entry] = select((entry / params.entries) * params.rows + row, params.total, row == OUTSIDE);
#else
  out[entry] = select(row, params.total, row == OUTSIDE);
#endif
}

@compute @workgroup_size(${rowsWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let entry = flat_index(group, groups, local, ${rowsWorkgroup}u) * ${perInvocation}u;
  if (entry >= params.count) {
    return;
  }
  // The last one starts earlier instead of running past the end: some rows are found twice.
  let first = min(entry, params.count - ${perInvocation}u);
  ${steps}
}
`;
}
