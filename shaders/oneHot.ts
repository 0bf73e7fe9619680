/** @file One-hot rows: out [outer, depth, inner] is `on` where the index at [outer, inner] is d, and `off` elsewhere. */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export const oneHotWorkgroup = 256;

export function oneHot(): string {
  return wgsl`
${flatIndex}
@compute @workgroup_size(${oneHotWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${oneHotWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let slab = i / params.inner;
  let index = indices[(slab / params.depth) * params.inner + i % params.inner];
  // A negative index, as an unsigned number, is larger than any depth.
  out[i] = select(params.off, params.on, index == slab % params.depth);
}
`;
}
