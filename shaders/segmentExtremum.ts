/**
 * @file The elementwise maximum or minimum of each segment's rows: x [rows, inner] → out [segments, inner], which holds the value of
 * an empty segment before. An invocation takes one element. Extrema don't depend on the order of the elements, so atomics give the
 * same bits on every run. WGSL has none for floats; these are compared as integers in the same order.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export type SegmentExtremumOptions = {
  type: 'f32' | 'i32' | 'u32';
  extremum: 'max' | 'min';
};

export const segmentWorkgroup = 64;

export function segmentExtremum({ type, extremum }: SegmentExtremumOptions): string {
  return wgsl`
${flatIndex}
@compute @workgroup_size(${segmentWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${segmentWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let row = i / params.inner;
  let segment = keys[row];
  if (segment >= params.segments) {
    return;
  }
#if ${type === 'f32'}
  let bits = bitcast<i32>(x[i]);
  // The larger the magnitude of a negative number, the larger its bits. NaN is beyond all others.
  let ordered = select(bits ^ 0x7fffffff, bits, bits >= 0);
  let value = select(ordered, ${extremum === 'max' ? '0x7fffffff' : '-0x80000000'}, (bits & 0x7fffffff) > 0x7f800000);
#else
  let value = x[i];
#endif
  ${extremum === 'max' ? 'atomicMax' : 'atomicMin'}(&out[segment * params.inner + i - row * params.inner], value);
}
`;
}
