/**
 * @file The gradient of a kernel without a GEMM, for CPU adapters and few channels (blocks.ts): an invocation sums the products of
 * an image's channel and a few channels of the cotangent, for all taps of a row of the kernel. sums[part, taps, channel, filter] of
 * some rows of the images; a second launch adds the parts.
 */
import { valueType } from '../depthwise/axis.ts';
import { maxLoopIterations } from '../depthwise/rows.ts';
import { flatIndex } from '../lib/indexing.ts';
import { each, range } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import { type BlockWidth, blockWorkgroup, partOf, readVector } from './blocks.ts';

export type BlockFilterGradShape = {
  direction: 'filterGrad';
  /** Filters of an invocation. They divide those of a group. */
  width: BlockWidth;
  /** Columns of the kernel, and its stride. */
  window: number;
  stride: number;
};

/** Columns of the cotangent that an iteration multiplies. */
export const filterGradColumns = 4;

export const blockFilterGradParams = {
  count: 'u32',
  in_h: 'u32',
  in_w: 'u32',
  /** Channels of the image, and of a group. */
  in_c: 'u32',
  group_in: 'u32',
  out_h: 'u32',
  out_w: 'u32',
  out_c: 'u32',
  /** How many invocations compute the filters of all groups, and of one. */
  vectors: 'u32',
  group_vectors: 'u32',
  kernel_h: 'u32',
  stride_h: 'i32',
  pad_h: 'i32',
  pad_w: 'i32',
  /** Total rows of the cotangent, and how many of them a part covers. */
  rows: 'u32',
  rows_per_part: 'u32',
} as const;

export function blockFilterGrad({ width, window, stride }: BlockFilterGradShape): string {
  const taps = range(window);
  const pixels = range(filterGradColumns);
  const extent = (filterGradColumns - 1) * stride + window;
  return wgsl`
${flatIndex}
@compute @workgroup_size(${blockWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  let i = flat_index(group, groups, local, ${blockWorkgroup}u);
  if (i >= params.count) {
    return;
  }
  let vector = i % params.vectors;
  let filter_ = vector * ${width}u;
  var line = i / params.vectors;
  let channel = line % params.group_in;
  line /= params.group_in;
  let tap_row = line % params.kernel_h;
  let part = line / params.kernel_h;
  let last_row = min((part + 1u) * params.rows_per_part, params.rows);
  ${each(taps, (tap) => `var sum_${tap} = ${valueType(width)}();`)}
  var out_row = part * params.rows_per_part;
  for (var iteration = 0u; iteration < ${maxLoopIterations}u; iteration++) {
    if (out_row >= last_row) {
      break;
    }
    let row = u32(i32(out_row % params.out_h) * params.stride_h + i32(tap_row) - params.pad_h);
    // A negative coordinate is a large unsigned one.
    let is_row = row < params.in_h;
    let in_row = (out_row / params.out_h * params.in_h + row) * params.in_w;
    let in_channel = vector / params.group_vectors * params.group_in + channel;
    for (var column = 0u; column < params.out_w; column += ${filterGradColumns}u) {
      let in_column = i32(column) * ${stride} - params.pad_w;
      let at = (in_row + u32(in_column)) * params.in_c + in_channel;
      let to = (out_row * params.out_w + column) * params.out_c + filter_;
      ${each(
        range(extent),
        (x) =>
          `let value_${x} = select(0.0, image[at + ${x}u * params.in_c], is_row & (u32(in_column + ${x}) < params.in_w));`,
      )}
      ${each(
        pixels,
        (j) => `{
        let dy = select(
          ${valueType(width)}(),
          ${readVector('cotangent', width, `to + ${j}u * params.out_c`, '1u')},
          column + ${j}u < params.out_w,
        );
        ${each(taps, (tap) => `sum_${tap} += value_${j * stride + tap} * dy;`)}
      }`,
      )}
    }
    out_row++;
  }
  let first = ((part * params.kernel_h + tap_row) * ${window}u * params.group_in + channel) * params.out_c + filter_;
  ${each(taps, (tap) =>
    each(
      range(width),
      (of) =>
        `sums[first + ${tap}u * params.group_in * params.out_c + ${of}u] = ${partOf(`sum_${tap}`, width, of)};`,
    ),
  )}
}
`;
}
