/**
 * @file Dropout: an element is kept, and scaled, if its random word reaches the threshold. The mask is a function of
 * seed and position, and never stored.
 */
import { wgsl } from './lib/wgsl.ts';
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions, philox } from './lib/math.ts';

export type DropoutShaderOptions = {
  /** Elements an invocation computes; four share one counter. */
  width: 1 | 4;
};

export const dropoutWorkgroup = 256;

export function dropout({ width }: DropoutShaderOptions): string {
  return wgsl`
${flatIndex}
${mathFunctions('', [philox])}
@compute @workgroup_size(${dropoutWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${dropoutWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  // The last word distinguishes these numbers from those of random tensors with the same seed.
  let counter = vec4<u32>(${width === 4 ? 'i' : 'i >> 2u'}, 0u, 0u, 1u);
  let words = philox(counter, vec2<u32>(params.seed_low, params.seed_high));
#if ${width === 4}
  out[i] = select(vec4<f32>(), x[i] * params.scale, words >= vec4<u32>(params.threshold));
#else
  out[i] = select(0.0, x[i] * params.scale, words[i & 3u] >= params.threshold);
#endif
}
`;
}
