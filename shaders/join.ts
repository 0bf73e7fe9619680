/**
 * @file Concatenation: rows of `out` are a row of each of `x_0`, `x_1`, … in turn. One invocation copies one element, or a vector of
 * four (`width`); writes are coalesced, and so are reads, except at the ends of rows.
 */
import { flatIndex } from './lib/indexing.ts';
import { wgsl } from './lib/wgsl.ts';

export type JoinOptions = {
  /** Number of tensors, from 2 to `maxJoined`. */
  parts: number;
  width: 1 | 4;
};

/** WebGPU guarantees eight storage buffers, of which faults take one, and the result another. */
export const maxJoined = 6;

export const joinWorkgroup = 256;

export function join({ parts }: JoinOptions): string {
  const end = (part: number) => `params.ends[${part >> 2}][${part & 3}]`;
  const copies = Array.from({ length: parts }, (_, part) => {
    const [length, position] =
      part === 0 ? [end(0), 'at'] : [`(${end(part)} - ${end(part - 1)})`, `at - ${end(part - 1)}`];
    const copy = `out[unit] = x_${part}[row * ${length} + ${position}];`;
    return part === parts - 1 ? `{ ${copy} }` : `if (at < ${end(part)}) { ${copy} }`;
  });
  return wgsl`
${flatIndex}
@compute @workgroup_size(${joinWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let unit = flat_index(group, groups, local, ${joinWorkgroup}u);
  if (unit >= params.count) {
    return;
  }
  let length = ${end(parts - 1)};
  let row = unit / length;
  let at = unit % length;
  ${copies.join('\n  else ')}
}
`;
}
