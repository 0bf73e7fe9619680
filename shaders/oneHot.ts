/**
 * @file One-hot rows: out [outer, depth, inner] is `on` where the index at [outer, inner] is d, and `off` elsewhere.
 *
 * On software adapters, an invocation writes a group of neighbours of the last axis (lib/lineGroups.ts): elements, or vectors
 * (`width`).
 */
import { flatIndex } from './lib/indexing.ts';
import { groupOfLine } from './lib/lineGroups.ts';
import { wgsl } from './lib/wgsl.ts';

export type OneHotOptions = {
  /** Whether the depth is the last axis: inner is 1. */
  last: boolean;
  /** Elements per write; 4 only if the depth is the last axis. `params.line` counts in these. */
  width: 1 | 4;
  /** Writes per invocation; at most those of the last axis. */
  perInvocation: number;
};

export const oneHotWorkgroup = 256;

export function oneHot({ last, width, perInvocation }: OneHotOptions): string {
  const grouped = perInvocation * width > 1;
  const invocation = `flat_index(group, groups, local, ${oneHotWorkgroup}u)`;
  const steps = Array.from({ length: perInvocation }, (_, step) => step);
  const vector = width === 4;
  const choices = vector ? 'vec4<u32>(params.off), vec4<u32>(params.on)' : 'params.off, params.on';
  const isOn = (step: number) => {
    if (vector) return `vec4<u32>(place - ${4 * step}u) == vec4<u32>(0u, 1u, 2u, 3u)`;
    return last ? `place == ${step}u` : `indices[start + ${step}u] == d`;
  };
  return wgsl`
${flatIndex}
@compute @workgroup_size(${oneHotWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
#if ${grouped}
  ${groupOfLine(invocation, 'within', 'params.line', perInvocation)}
  let i = line * params.line + within;
  if (i >= params.count) {
    return;
  }
#if ${last}
  let place = indices[line] - within * ${width}u;
#else
  let start = (line / params.depth) * params.inner + within;
  let d = line % params.depth;
#endif
  ${steps.map((step) => `out[i + ${step}u] = select(${choices}, ${isOn(step)});`).join('\n  ')}
#else
  let i = ${invocation};
  if (i >= params.count) {
    return;
  }
  let slab = i / params.inner;
  let index = indices[(slab / params.depth) * params.inner + i % params.inner];
  // A negative index, as an unsigned number, is larger than any depth.
  out[i] = select(params.off, params.on, index == slab % params.depth);
#endif
}
`;
}
