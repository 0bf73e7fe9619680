/**
 * @file One step of Adam on one variable, in place: both moments and the values are read and written once.
 *
 * Source: Kingma and Ba, Adam: A Method for Stochastic Optimization, ICLR 2015, the efficient form at the end of
 * section 2. The bias corrections are in `params.rate`.
 */
import { wgsl } from './lib/wgsl.ts';
import { flatIndex } from './lib/indexing.ts';

export const adamWorkgroup = 256;

export type AdamOptions = {
  /** `f32`, or `vec4<f32>` where the buffers hold whole vectors. */
  element: string;
};

export function adam({ element }: AdamOptions): string {
  return wgsl`
${flatIndex}
@compute @workgroup_size(${adamWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${adamWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let g = gradient[i];
  let m = momentum[i] + (g - momentum[i]) * params.momentum_share;
  let v = velocity[i] + (g * g - velocity[i]) * params.velocity_share;
  momentum[i] = m;
  velocity[i] = v;
  values[i] -= params.rate * m / (sqrt(v) + ${element}(params.epsilon));
}
`;
}
