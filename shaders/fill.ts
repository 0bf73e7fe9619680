/** @file Fills a tensor with one value, given by its bits. */
import { wgsl } from './lib/wgsl.ts';
import { flatIndex } from './lib/indexing.ts';

export const fillWorkgroup = 256;

export function fill(): string {
  return wgsl`
${flatIndex}
@compute @workgroup_size(${fillWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${fillWorkgroup}u);
  if (i < params.count) {
    out[i] = params.bits;
  }
}
`;
}
