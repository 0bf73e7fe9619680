/** @file Copies words of a tensor to a range that is at most as long. */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export const copyWordsWorkgroup = 256;

export function copyWords(): string {
  return wgsl`
${flatIndex}
@compute @workgroup_size(${copyWordsWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${copyWordsWorkgroup}u);
  if (i < params.count) {
    out[i] = x[i];
  }
}
`;
}
