/** @file Adds up what several workgroups found for the same row of `cachedAttention`. */
import { flatIndex } from '../lib/indexing.ts';
import { wgsl } from '../lib/wgsl.ts';

export const mergeWorkgroup = 64;

export type MergePartsOptions = { width: 1 | 4 };

/**
 * Adds up the parts of each row: partials [rows, parts, value_size] and stats [rows, parts], the largest score and the sum of
 * exponentials relative to it → out [rows, value_size]. An invocation computes a unit.
 */
export function mergeParts({ width }: MergePartsOptions): string {
  return wgsl`
${flatIndex}
@compute @workgroup_size(${mergeWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${mergeWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let first = i / params.value_size * params.parts;
  let unit = i % params.value_size;
  var largest = stats[first].x;
  for (var part = 1u; part < params.parts; part++) {
    largest = max(largest, stats[first + part].x);
  }
  var total = 0.0;
  var sum = ${width === 1 ? 'f32' : 'vec4<f32>'}();
  for (var part = 0u; part < params.parts; part++) {
    let of_part = stats[first + part];
    let factor = exp(of_part.x - largest);
    total += factor * of_part.y;
    sum += factor * partials[(first + part) * params.value_size + unit];
  }
  out[i] = select(sum / total, ${width === 1 ? 'f32' : 'vec4<f32>'}(), total == 0.0);
}
`;
}
