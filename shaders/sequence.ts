/** @file Tensors whose elements depend only on their position: arithmetic sequences and identity matrices. */
import { wgsl } from './lib/wgsl.ts';
import { flatIndex } from './lib/indexing.ts';

export type SequenceOptions = {
  kind: 'steps' | 'eye';
  /** WGSL type of the elements. */
  type: string;
};

export const sequenceWorkgroup = 256;

export function sequence({ kind, type }: SequenceOptions): string {
  return wgsl`
${flatIndex}
@compute @workgroup_size(${sequenceWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${sequenceWorkgroup}u);
  if (i >= params.count) {
    return;
  }
#if ${kind === 'eye'}
  let position = i % (params.rows * params.columns);
  let diagonal = position / params.columns == position % params.columns;
  out[i] = bitcast<${type}>(select(0u, params.one, diagonal));
#else
  let start = bitcast<${type}>(params.start);
  let step = bitcast<${type}>(params.step);
  // The last element is given: a sum of all the steps would carry their rounding errors.
  out[i] = select(start + ${type}(i) * step, bitcast<${type}>(params.last), i == params.count - 1u);
#endif
}
`;
}
