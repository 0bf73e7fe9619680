/** @file Fills a tensor with one value, given by its bits. */
import { repeat } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';
import { flatIndex } from './lib/indexing.ts';

export const fillWorkgroup = 256;

export type FillOptions = {
  /** Words that an invocation writes; at most `count`. */
  perInvocation: number;
};

export function fill({ perInvocation }: FillOptions): string {
  const stores = repeat(perInvocation, (i) => `out[first + ${i}u] = params.bits;`);
  return wgsl`
${flatIndex}
@compute @workgroup_size(${fillWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${fillWorkgroup}u) * ${perInvocation}u;
  if (i < params.count) {
    // The last one starts earlier instead of running past the end.
    let first = ${perInvocation > 1 ? `min(i, params.count - ${perInvocation}u)` : 'i'};
    ${stores}
  }
}
`;
}
