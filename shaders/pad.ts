/**
 * @file Padding: each element of `out` reads the element of `x` to which the mode maps its position, axis by axis:
 * `constant` (a value outside), `reflect` (mirrored, the edge once), `symmetric` (mirrored, the edge twice), `edge` (the nearest
 * element), `repeat` (x repeated; for tile and wrap, which have no negative places).
 *
 * An invocation computes one element, or a vector of four; or, for software adapters, a group of them along the last axis, for
 * which it computes the line once.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export type PadMode = 'constant' | 'reflect' | 'symmetric' | 'edge' | 'repeat';

export type PadOptions = {
  mode: PadMode;
  /** Axes after merging. */
  rank: number;
  width: 1 | 4;
  /** Elements, or vectors, of an invocation; at most the length of the last axis. */
  perInvocation: number;
};

export const padWorkgroup = 256;

/** `place` counts from the first element of x, and is negative before it. */
const sources: Record<PadMode, string> = {
  // A negative place is a large unsigned one. Software adapters pay more for && than for a comparison.
  constant: 'inside = inside & (u32(place) < u32(size));',
  reflect: 'place = abs(place);\n    place = select(place, 2 * (size - 1) - place, place >= size);',
  symmetric:
    'place = select(place, -1 - place, place < 0);\n    place = select(place, 2 * size - 1 - place, place >= size);',
  edge: 'place = clamp(place, 0, size - 1);',
  repeat: 'place = place % size;',
};

export function pad({ mode, rank, width, perInvocation }: PadOptions): string {
  const last = rank - 1;
  const at = (field: string, axis: number) => `params.${field}[${axis >> 2}][${axis & 3}]`;
  const outer = Array.from({ length: last }, (_, i) => last - 1 - i).map(
    (axis) => `{
    let size = i32(${at('sizes', axis)});
    var place = i32(remaining % ${at('shape', axis)}) - i32(${at('before', axis)});
    remaining /= ${at('shape', axis)};
    ${sources[mode]}
    x_at += place * stride;
    stride *= size;
  }`,
  );
  // Always reads, which costs less than a branch: elements out of bounds have some value, which isn't selected.
  const inLine = Array.from(
    { length: perInvocation },
    (_, step) => `{
    var inside = line_inside;
    var place = i32(first) + ${step} - i32(${at('before', last)});
    ${sources[mode]}
    out[i + ${step}u] = select(filling, x[x_at + place], inside);
  }`,
  );
  const element = width === 4 ? 'vec4<u32>' : 'u32';
  return wgsl`
${flatIndex}
@compute @workgroup_size(${padWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let unit = flat_index(group, groups, local, ${padWorkgroup}u);
  if (unit >= params.count) {
    return;
  }
  // The last group of a line starts earlier instead of running past its end: some elements are computed twice.
  let first = min((unit % params.groups) * ${perInvocation}u, ${at('shape', last)} - ${perInvocation}u);
  var remaining = unit / params.groups;
  let i = remaining * ${at('shape', last)} + first;
  let size = i32(${at('sizes', last)});
  let filling = ${element}(params.fill);
  var x_at = 0;
  var stride = size;
  var inside = true;
  ${outer.join('\n  ')}
  let line_inside = inside;
  ${inLine.join('\n  ')}
}
`;
}
