/**
 * @file Slices placed into zeros, overlapping ones summed: `out` is the sum of up to seven inputs, each of which covers a block.
 * A launch writes the elements of a band: a range of one axis, and all of the others. Those before `written` on that axis
 * have a value from a launch before, to which the slices are added.
 *
 * An invocation computes one element of the band, or a vector of four.
 */
import { flatIndex } from './lib/indexing.ts';
import { range } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

export type PlaceSlicesOptions = {
  /** Slices of this launch. */
  slices: number;
  /** Axes after merging. */
  rank: number;
  width: 1 | 4;
  /** The axis of the band, if a launch before has written elements of it. */
  adds: number | 'none';
};

export const placeSlicesWorkgroup = 256;

/** The words of `geometry`: sizes of the band, strides of the result, then where each slice begins in the band, and its sizes. */
export const geometryWords = (slices: number, rank: number): number => (2 + 2 * slices) * rank;

export function placeSlices({ slices, rank, width, adds }: PlaceSlicesOptions): string {
  const axes = range(rank);
  const word = (i: number) => `params.geometry_${i >> 3}[${(i >> 2) & 1}][${i & 3}]`;
  const bandSize = (axis: number) => word(axis);
  const stride = (axis: number) => word(rank + axis);
  const begin = (slice: number, axis: number) => word((2 + 2 * slice) * rank + axis);
  const size = (slice: number, axis: number) => word((3 + 2 * slice) * rank + axis);
  const coordinates = axes.toReversed().map((axis) =>
    axis === 0
      ? 'let at_0 = remaining;'
      : `let at_${axis} = remaining % ${bandSize(axis)};
  remaining /= ${bandSize(axis)};`,
  );
  const indexIn = (slice: number) =>
    axes.slice(1).reduce((at, axis) => `(${at}) * ${size(slice, axis)} + place_${axis}`, 'place_0');
  // A place before the slice is a large unsigned number.
  const added = range(slices).map(
    (slice) => `{
    ${axes.map((axis) => `let place_${axis} = at_${axis} - ${begin(slice, axis)};`).join('\n    ')}
    if (${axes.map((axis) => `place_${axis} < ${size(slice, axis)}`).join(' && ')}) {
      total += in_${slice}[${indexIn(slice)}];
    }
  }`,
  );
  return wgsl`
${flatIndex}
@compute @workgroup_size(${placeSlicesWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let unit = flat_index(group, groups, local, ${placeSlicesWorkgroup}u);
  if (unit >= params.count) {
    return;
  }
  var remaining = unit;
  ${coordinates.join('\n  ')}
  let out_at = params.first + ${axes.map((axis) => `at_${axis} * ${stride(axis)}`).join(' + ')};
  var total = ${width === 4 ? 'vec4<f32>' : 'f32'}();
#if ${adds !== 'none'}
  if (at_${adds} < params.written) {
    total = out[out_at];
  }
#endif
  ${added.join('\n  ')}
  out[out_at] = total;
}
`;
}
