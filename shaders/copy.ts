/**
 * @file Strided copies: elements of `x` into `out`, each walked by an offset and a stride for every axis. Strides may be
 * negative. Slices, flips, transposes, and the parts of a concatenation are all instances of this one kernel.
 *
 * One invocation copies one element, or four neighbours (`width`); neighbouring invocations write neighbours.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export type CopyOptions = {
  /** Axes after merging. */
  rank: number;
  width: 1 | 4;
  /** True where `out` is written without gaps, in order. */
  dense: boolean;
};

export const copyWorkgroup = 256;

export function copy({ rank, width, dense }: CopyOptions): string {
  const element = width === 4 ? 'vec4<u32>' : 'u32';
  const axes = Array.from({ length: rank }, (_, i) => rank - 1 - i);
  const at = (field: string, axis: number) => `params.${field}[${axis >> 2}][${axis & 3}]`;
  const walk = axes.map(
    (axis) => `{
    let coordinate = i32(remaining % ${at('shape', axis)});
    remaining /= ${at('shape', axis)};
    x_at += coordinate * ${at('x_strides', axis)};
    ${dense ? '' : `out_at += coordinate * ${at('out_strides', axis)};`}
  }`,
  );
  return wgsl`
${flatIndex}
@compute @workgroup_size(${copyWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${copyWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  var remaining = i;
  var x_at = params.x_offset;
  var out_at = params.out_offset;
  ${walk.join('\n  ')}
#if ${dense}
  out_at += i32(i);
#endif
  let value: ${element} = x[x_at];
  out[out_at] = value;
}
`;
}
