/**
 * @file Depthwise convolutions of any kernel size, strides and dilation, for CPU adapters: an invocation computes a few
 * adjacent results of a row, which share what is read. It has no branches, since a CPU adapter computes both sides. Result
 * channel o reads image channel o / multiplier.
 *
 * - forward:    four columns of the result share each weight
 * - inputGrad:  four columns of the image that the same taps reach, `stride` apart, share each weight
 * - filterGrad: up to four taps of a row of the kernel share each value of the cotangent; sums[part, tap, o] of some rows
 */
import type { DepthwiseDirection } from '../depthwise.ts';
import { flatIndex } from '../lib/indexing.ts';
import { repeat } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';

export type BlockOptions = {
  /** Channels that an invocation computes: 4 if the multiplier is 1 and the number of channels is a multiple of 4. */
  width: 1 | 4;
  /** Columns, or taps, of an invocation. */
  block: number;
  /** Whether a stride is above 1. */
  strided: boolean;
};

export const blockWorkgroup = 64;
export const blockColumns = 4;

export const blockParams = {
  count: 'u32',
  /** Blocks of a row. */
  blocks: 'u32',
  in_h: 'u32',
  in_w: 'u32',
  /** Channels of the image, and of the result, in units of `width`. */
  in_c: 'u32',
  out_h: 'u32',
  out_w: 'u32',
  out_c: 'u32',
  multiplier: 'u32',
  kernel_h: 'u32',
  kernel_w: 'u32',
  stride_h: 'i32',
  stride_w: 'i32',
  dilation_h: 'i32',
  dilation_w: 'i32',
  pad_h: 'i32',
  pad_w: 'i32',
  /** Step between the taps that contribute: the stride, for an input gradient with strides and no dilation; otherwise 1. */
  step_h: 'u32',
  step_w: 'u32',
  /** Total rows of the results, and how many of them a part of a filter gradient covers. */
  rows: 'u32',
  rows_per_part: 'u32',
} as const;

/** A row of an image of `width` pixels, and its values: zeros beyond it. */
const rowOf = (values: string, width: string, height: string, channels: string) => wgsl`
struct Row {
  offset: u32,
  valid: bool,
}

fn row_at(image_index: u32, row: i32) -> Row {
  // A negative coordinate is a large unsigned one.
  return Row((image_index * params.${height} + u32(row)) * params.${width}, u32(row) < params.${height});
}

fn value_at(row: Row, column: i32, channel: u32) -> Value {
  let value = ${values}[(row.offset + u32(column)) * params.${channels} + channel];
  return select(Value(), value, row.valid & (u32(column) < params.${width}));
}
`;

/** The sums of the block: of columns, or of taps. */
const zeroSums = (block: number) => repeat(block, (j) => `var sum_${j} = Value();`);

const forward = ({ block }: BlockOptions) => ({
  functions: rowOf('image', 'in_w', 'in_h', 'in_c'),
  body: wgsl`
  let o = i % params.out_c;
  let place = i / params.out_c;
  let column = place % params.blocks * ${block}u;
  let line = place / params.blocks;
  let image_index = line / params.out_h;
  let first_row = i32(line % params.out_h) * params.stride_h - params.pad_h;
  let first_column = i32(column) * params.stride_w - params.pad_w;
  let c = o / params.multiplier;
  ${zeroSums(block)}
  var tap = o;
  for (var ky = 0u; ky < params.kernel_h; ky++) {
    let row = row_at(image_index, first_row + i32(ky) * params.dilation_h);
    for (var kx = 0u; kx < params.kernel_w; kx++) {
      let weight = weights[tap];
      let x = first_column + i32(kx) * params.dilation_w;
      ${repeat(block, (j) => `sum_${j} += value_at(row, x + ${j} * params.stride_w, c) * weight;`)}
      tap += params.out_c;
    }
  }
  let first = (line * params.out_w + column) * params.out_c + o;
  ${repeat(
    block,
    (j) => `if (column + ${j}u < params.out_w) {
    out[first + ${j}u * params.out_c] = sum_${j};
  }`,
  )}`,
});

const inputGrad = ({ block, strided }: BlockOptions) => ({
  functions: wgsl`
${rowOf('cotangent', 'out_w', 'out_h', 'out_c')}
struct Place {
  position: i32,
  valid: bool,
}

/** Where a tap leads from a coordinate: an exact multiple of the stride, or nowhere. */
fn reach(coordinate: i32, tap: u32, stride: i32, dilation: i32, pad: i32) -> Place {
  let distance = coordinate + pad - i32(tap) * dilation;
#if ${strided}
  let position = distance / stride;
  return Place(position, position * stride == distance);
#else
  return Place(distance, true);
#endif
}

fn first_tap(coordinate: i32, step: u32, pad: i32) -> u32 {
#if ${strided}
  return u32(coordinate + pad) % step;
#else
  return 0u;
#endif
}
`,
  body: wgsl`
  let c = i % params.in_c;
  let place = i / params.in_c;
  let block = i32(place % params.blocks);
  let line = place / params.blocks;
  let image_index = line / params.in_h;
  let image_row = i32(line % params.in_h);
  // Neighbouring blocks take the columns of each remainder by the stride.
#if ${strided}
  let column = block / params.stride_w * ${block} * params.stride_w + block % params.stride_w;
#else
  let column = block * ${block};
#endif
  ${zeroSums(block)}
  for (var ky = first_tap(image_row, params.step_h, params.pad_h); ky < params.kernel_h; ky += params.step_h) {
    let y = reach(image_row, ky, params.stride_h, params.dilation_h, params.pad_h);
    var row = row_at(image_index, y.position);
    row.valid &= y.valid;
    for (var kx = first_tap(column, params.step_w, params.pad_w); kx < params.kernel_w; kx += params.step_w) {
      let x = reach(column, kx, params.stride_w, params.dilation_w, params.pad_w);
      let reached = Row(row.offset, row.valid & x.valid);
      for (var m = 0u; m < params.multiplier; m++) {
        let o = c * params.multiplier + m;
        let weight = weights[(ky * params.kernel_w + kx) * params.out_c + o];
        ${repeat(block, (j) => `sum_${j} += value_at(reached, x.position + ${j}, o) * weight;`)}
      }
    }
  }
  ${repeat(
    block,
    (j) => `if (column + ${j} * params.stride_w < i32(params.in_w)) {
    out[(line * params.in_w + u32(column + ${j} * params.stride_w)) * params.in_c + c] = sum_${j};
  }`,
  )}`,
});

const filterGrad = ({ block }: BlockOptions) => ({
  functions: rowOf('image', 'in_w', 'in_h', 'in_c'),
  body: wgsl`
  let o = i % params.out_c;
  let place = i / params.out_c;
  let kx = place % params.blocks * ${block}u;
  let line = place / params.blocks;
  let ky = line % params.kernel_h;
  let part = line / params.kernel_h;
  let c = o / params.multiplier;
  let last_row = min((part + 1u) * params.rows_per_part, params.rows);
  ${zeroSums(block)}
  for (var out_row = part * params.rows_per_part; out_row < last_row; out_row++) {
    let first_row = i32(out_row % params.out_h) * params.stride_h - params.pad_h;
    let row = row_at(out_row / params.out_h, first_row + i32(ky) * params.dilation_h);
    var x = i32(kx) * params.dilation_w - params.pad_w;
    var at = out_row * params.out_w * params.out_c + o;
    for (var column = 0u; column < params.out_w; column++) {
      let dy = cotangent[at];
      ${repeat(block, (j) => `sum_${j} += value_at(row, x + ${j} * params.dilation_w, c) * dy;`)}
      x += params.stride_w;
      at += params.out_c;
    }
  }
  let first = (line * params.kernel_w + kx) * params.out_c + o;
  ${repeat(
    block,
    (j) => `if (kx + ${j}u < params.kernel_w) {
    out[first + ${j}u * params.out_c] = sum_${j};
  }`,
  )}`,
});

const programs = { forward, inputGrad, filterGrad };

export const depthwiseBlocks =
  (direction: DepthwiseDirection) =>
  (options: BlockOptions): string => {
    const { functions, body } = programs[direction](options);
    return wgsl`
${flatIndex}
alias Value = ${options.width === 4 ? 'vec4<f32>' : 'f32'};
${functions}
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
  ${body.trim()}
}
`;
  };
