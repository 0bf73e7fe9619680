/**
 * @file Padding: each element of `out` reads the element of `x` that its place stands for, axis by axis, by the mode:
 * `constant` (a value outside), `reflect` (mirrored, the edge once), `symmetric` (mirrored, the edge twice), `repeat`
 * (x over and over, as a tile).
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export type PadMode = 'constant' | 'reflect' | 'symmetric' | 'repeat';

export type PadOptions = {
  mode: PadMode;
  /** Axes after merging. */
  rank: number;
  width: 1 | 4;
};

export const padWorkgroup = 256;

/** `place` counts from the first element of x, and is negative before it. */
const sources: Record<PadMode, string> = {
  constant: 'inside = inside && place >= 0 && place < size;',
  reflect: 'place = abs(place);\n    place = select(place, 2 * (size - 1) - place, place >= size);',
  symmetric:
    'place = select(place, -1 - place, place < 0);\n    place = select(place, 2 * size - 1 - place, place >= size);',
  repeat: 'place = place % size;',
};

export function pad({ mode, rank, width }: PadOptions): string {
  const axes = Array.from({ length: rank }, (_, i) => rank - 1 - i);
  const at = (field: string, axis: number) => `params.${field}[${axis >> 2}][${axis & 3}]`;
  const walk = axes.map(
    (axis) => `{
    let size = i32(${at('sizes', axis)});
    var place = i32(remaining % ${at('shape', axis)}) - i32(${at('before', axis)});
    remaining /= ${at('shape', axis)};
    ${sources[mode]}
    x_at += place * stride;
    stride *= size;
  }`,
  );
  return wgsl`
${flatIndex}
@compute @workgroup_size(${padWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${padWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  var remaining = i;
  var x_at = 0;
  var stride = 1;
  var inside = true;
  ${walk.join('\n  ')}
  if (inside) {
    out[i] = x[x_at];
  } else {
#if ${width === 4}
    out[i] = vec4<u32>(params.fill);
#else
    out[i] = params.fill;
#endif
  }
}
`;
}
