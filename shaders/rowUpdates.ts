/**
 * @file Replaces rows of a table, in two steps: `lastUpdate` finds the last update of each row, and `replaceRows` takes that or the
 * old row. Positions are maxima, which don't depend on the order of invocations, so the result doesn't either.
 */
import { flatIndex } from './lib/indexing.ts';
import { indexLibrary, type IndexLibraryOptions } from './lib/indices.ts';
import { wgsl } from './lib/wgsl.ts';

export const updatesWorkgroup = 64;

/**
 * The position, within its batch, of the last entry that addresses each row: last [batch · rows], which holds -1 before. An
 * invocation takes one entry; `slab` is the number of entries in a batch.
 */
export function lastUpdate(index: IndexLibraryOptions): string {
  return wgsl`
${flatIndex}
${indexLibrary(index)}
@compute @workgroup_size(${updatesWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let entry = flat_index(group, groups, local, ${updatesWorkgroup}u);
  if (entry >= params.count) {
    return;
  }
  let row = row_of(entry, true);
  if (row != OUTSIDE) {
    atomicMax(&last[row], i32(entry % params.slab));
  }
}
`;
}

export type ReplaceRowsOptions = {
  /** What an invocation moves at a time: an element, four elements of a row, or four rows of one element. */
  unit: 'element' | 'vector' | 'four rows';
  /** Units that an invocation takes, one after another. */
  perInvocation: 1 | 8;
};

const moves = {
  element: `
    let row = i / params.inner;
    let update = last[row];
    if (update < 0) {
      out[i] = x[i];
    } else {
      out[i] = updates[u32(update) * params.inner + i - row * params.inner];
    }`,
  'four rows': `
    let update = last[i];
    var moved = x[i];
    if (any(update >= vec4<i32>(0))) {
      let found = vec4<u32>(max(update, vec4<i32>(0)));
      let replacing = vec4<u32>(updates[found.x], updates[found.y], updates[found.z], updates[found.w]);
      moved = select(moved, replacing, update >= vec4<i32>(0));
    }
    out[i] = moved;`,
} as const;

/** x, out [rows, inner]; updates [count, inner]; last [rows], the update that replaces each row, negative for none. */
export function replaceRows({ unit, perInvocation }: ReplaceRowsOptions): string {
  return wgsl`
${flatIndex}
@compute @workgroup_size(${updatesWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let first = flat_index(group, groups, local, ${updatesWorkgroup}u) * ${perInvocation}u;
  for (var i = first; i < min(first + ${perInvocation}u, params.count); i++) {
    ${unit === 'four rows' ? moves['four rows'] : moves.element}
  }
}
`;
}
