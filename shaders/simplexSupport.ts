/**
 * @file Which elements of a line stay above zero where the line is projected onto the simplex: 1 for those, 0 for others. One
 * invocation has a line, of n elements that lie `inner` apart.
 *
 * The level that is taken off all elements follows from those above it, so those below are left out until none is (Michelot,
 * A finite algorithm for finding the projection of a point onto the canonical simplex of Rⁿ, 1986): a few sweeps, as a rule.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export const supportWorkgroup = 64;

export function simplexSupport(): string {
  return wgsl`
${flatIndex}
@compute @workgroup_size(${supportWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let line = flat_index(group, groups, local, ${supportWorkgroup}u);
  if (line >= params.count) {
    return;
  }
  let start = (line / params.inner) * params.n * params.inner + line % params.inner;
  let end = start + params.n * params.inner;
  var high = x[start];
  for (var i = start; i < end; i += params.inner) {
    high = max(high, x[i]);
  }
  // Measured from the largest element, the level is below 0 however sums are rounded: that element stays.
  var level = -1.0;
  var kept = params.n + 1u;
  loop {
    var sum = 0.0;
    var above = 0u;
    for (var i = start; i < end; i += params.inner) {
      let value = x[i] - high;
      if (value > level) {
        sum += value;
        above += 1u;
      }
    }
    if (above >= kept) {
      break;
    }
    kept = above;
    level = (sum - 1.0) / f32(above);
  }
  for (var i = start; i < end; i += params.inner) {
    out[i] = select(0.0, 1.0, x[i] - high > level);
  }
}
`;
}
