/** @file Reports the first NaN or infinity of a tensor. Tests bits, since compilers may assume that neither occurs. */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export const nonFiniteWorkgroup = 256;

export function nonFinite(): string {
  return wgsl`
${flatIndex}
@compute @workgroup_size(${nonFiniteWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${nonFiniteWorkgroup}u);
  // An exponent of all ones is an infinity or a NaN.
  if (i < params.count && (x[i] & 0x7f800000u) == 0x7f800000u) {
    report_fault(i, params.count, x[i]);
  }
}
`;
}
