/**
 * @file Strided copies: elements of `x` to `out`, each with an offset and a stride for every axis. Strides may be
 * negative. Slices, flips, transposes, and the parts of a concatenation are all instances of this kernel.
 *
 * One invocation copies one element, or a vector of four (`width`); writes are coalesced. On software adapters it copies a
 * run of them along the last axis, and computes their position once.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export type CopyOptions = {
  /** Axes after merging; at least one. */
  rank: number;
  width: 1 | 4;
  /** True if `out` is written without gaps, in order. */
  dense: boolean;
  /** Elements, or vectors, of an invocation; at most the length of the last axis. */
  perInvocation: number;
};

export const copyWorkgroup = 256;

export function copy({ rank, dense, perInvocation }: CopyOptions): string {
  const last = rank - 1;
  const outer = Array.from({ length: last }, (_, i) => last - 1 - i);
  const steps = Array.from({ length: perInvocation }, (_, i) => i);
  const at = (field: string, axis: number) => `params.${field}[${axis >> 2}][${axis & 3}]`;
  const outerOffsets = outer.map(
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
  let unit = flat_index(group, groups, local, ${copyWorkgroup}u);
  if (unit >= params.count) {
    return;
  }
  // The last group of a line starts earlier instead of running past its end: some elements are copied twice.
  let first = i32(min((unit % params.groups) * ${perInvocation}u, ${at('shape', last)} - ${perInvocation}u));
  var remaining = unit / params.groups;
  let x_step = ${at('x_strides', last)};
  let out_step = ${dense ? '1' : at('out_strides', last)};
  var x_at = params.x_offset + first * x_step;
  var out_at = params.out_offset + first * out_step;
#if ${dense}
  out_at += i32(remaining * ${at('shape', last)});
#endif
  ${outerOffsets.join('\n  ')}
  ${steps.map((step) => `out[out_at + ${step} * out_step] = x[x_at + ${step} * x_step];`).join('\n  ')}
}
`;
}
