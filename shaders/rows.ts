/**
 * @file The row of every entry, as a table of its own, counted through all batches. An entry that names no row gets
 * `total`, one above the last.
 */
import { flatIndex } from './lib/indexing.ts';
import { indexLibrary, type IndexLibraryOptions } from './lib/indices.ts';
import { wgsl } from './lib/wgsl.ts';

export const rowsWorkgroup = 256;

export function rows(options: IndexLibraryOptions): string {
  return wgsl`
${flatIndex}
${indexLibrary(options)}
@compute @workgroup_size(${rowsWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let entry = flat_index(group, groups, local, ${rowsWorkgroup}u);
  if (entry >= params.count) {
    return;
  }
  let row = row_of(entry, true);
  if (row == OUTSIDE) {
    out[entry] = params.total;
  } else {
    out[entry] = (entry / params.entries) * params.rows + row;
  }
}
`;
}
