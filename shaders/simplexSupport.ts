/**
 * @file The support of the projection of a line onto the simplex: 1 for elements that stay above zero, 0 for others. One
 * invocation per line, of n elements with stride `inner`.
 *
 * The threshold that is subtracted from all elements depends on those above it, so those below are removed until none is
 * left below (Michelot, A finite algorithm for finding the projection of a point onto the canonical simplex of Rⁿ, 1986):
 * usually a few sweeps.
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
