/**
 * @file Binary search: for each query, how many elements of its sorted row are before it. One invocation per query, with as many
 * steps for all of them.
 */
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions } from './lib/math.ts';
import { wgsl } from './lib/wgsl.ts';

export type SearchSortedOptions = {
  /** WGSL type of elements and queries. */
  type: string;
  /** WGSL expression of an unsigned integer in the order of the elements `value`. */
  key: string;
  /** Whether elements equal to the query are before it. */
  right: boolean;
  /** Whether all queries search the same row. */
  single: boolean;
};

export const searchSortedWorkgroup = 64;

export function searchSorted({ type, key, right, single }: SearchSortedOptions): string {
  return wgsl`
${flatIndex}
${mathFunctions(key)}
fn key_of(value: ${type}) -> u32 {
  return ${key};
}

@compute @workgroup_size(${searchSortedWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${searchSortedWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let start = ${single ? '0u' : '(i / params.queries) * params.n'};
  let key = key_of(values[i]);
  // At least this many elements are before the query.
  var before = 0u;
  for (var stride = params.stride; stride > 0u; stride >>= 1u) {
    let next = before + stride;
    let element = key_of(sorted[start + min(next, params.n) - 1u]);
    before = select(before, next, (next <= params.n) & (element ${right ? '<=' : '<'} key));
  }
  out[i] = i32(before);
}
`;
}
