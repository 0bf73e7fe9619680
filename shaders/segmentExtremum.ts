/**
 * @file The elementwise maximum or minimum of each segment's rows: x [rows, inner] → out [segments, inner]. An invocation
 * computes one element: it iterates over the rows of its segment, which have been sorted by segment (shaders/sort).
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
#if ${type === 'f32'}
// Tests bits, since compilers may assume that NaN does not occur.
fn is_nan(value: f32) -> bool {
  return (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u;
}

fn takes_over(value: f32, best: f32) -> bool {
  return !is_nan(best) && (is_nan(value) || value ${extremum === 'max' ? '>' : '<'} best);
}
#else
fn takes_over(value: ${type}, best: ${type}) -> bool {
  return value ${extremum === 'max' ? '>' : '<'} best;
}
#endif

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
  let segment = i / params.inner;
  let within = i % params.inner;
  let end = offsets[segment + 1u];
  var best = bitcast<${type}>(params.neutral);
  for (var at = offsets[segment]; at < end; at++) {
    let value = x[order[at] * params.inner + within];
    best = select(best, value, takes_over(value, best));
  }
  out[i] = best;
}
`;
}
