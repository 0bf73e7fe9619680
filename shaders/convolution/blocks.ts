/**
 * @file Convolutions and their input gradients without a GEMM, for CPU adapters and few channels, of a group or of all: the columns
 * of a GEMM would be mostly padding. An invocation computes a few channels of some adjacent results of a row. For each row of the
 * kernel and each channel that it sums over, it reads the values of a row once, and multiplies them by all taps.
 *
 * The columns of the window are part of the program (../depthwise/axis.ts): as a loop over taps, it would take twice as long.
 */
import {
  blockAxis,
  blockGridParams,
  type ChannelWidth,
  type Direction,
  valueType,
} from '../depthwise/axis.ts';
import { maxLoopIterations } from '../depthwise/rows.ts';
import { activationFunction, type EpilogueOptions } from '../lib/epilogue.ts';
import { flatIndex } from '../lib/indexing.ts';
import { components, each, range } from '../lib/text.ts';
import { wgsl } from '../lib/wgsl.ts';
import type { DirectAxis } from './direct.ts';

/** Channels that an invocation computes. They divide those of a group. */
export type BlockWidth = ChannelWidth | 3;

export type BlockShape = {
  direction: Direction;
  width: BlockWidth;
  columns: DirectAxis;
};

export type ConvolutionBlockOptions = BlockShape & EpilogueOptions;

export const blockWorkgroup = 64;

export const blockParams = {
  ...blockGridParams,
  count: 'u32',
  /** Blocks of a row. */
  blocks: 'u32',
  /** Channels of a pixel that is read, and those of a group. */
  from_c: 'u32',
  group_from: 'u32',
  /** Channels of the result, and how many invocations compute those of all groups, and of one. */
  to_c: 'u32',
  vectors: 'u32',
  group_vectors: 'u32',
  kernel_h: 'u32',
  stride_h: 'i32',
  pad_h: 'i32',
  /** Distances between weights: of a tap and the next; of a channel that is summed over and the next; of the result's. */
  tap_step: 'u32',
  from_step: 'u32',
  to_step: 'u32',
  /** Distances between the weights of a group and the next, in the direction of each channel. */
  group_step: 'u32',
  alpha: 'f32',
} as const;

/** Reads `width` values from `array`, from the index `at` on, each `step` after the one before. */
export function readVector(array: string, width: BlockWidth, at: string, step: string): string {
  if (width === 1) return `${array}[${at}]`;
  return `${valueType(width)}(${range(width)
    .map((i) => `${array}[${at} + ${i}u * ${step}]`)
    .join(', ')})`;
}

/** Value `i` of `name`, which has `width` of them. */
export const partOf = (name: string, width: BlockWidth, i: number) =>
  width === 1 ? name : `${name}.${components[i]}`;

export function convolutionBlocks({
  direction,
  width,
  columns,
  bias,
  activation,
}: ConvolutionBlockOptions): string {
  const { window, stride, results, phase } = columns;
  const { terms, extent, step } = blockAxis(direction, window, stride, results, phase);
  const columnsOfBlock = range(results);
  /** The products of a tap. */
  const multiply = (tap: number) => {
    const uses = terms.flatMap((of, j) =>
      of.filter((term) => term.tap === tap).map(({ value }) => ({ j, value })),
    );
    if (uses.length === 0) return '';
    return `{
      let weight = ${readVector('weights', width, `weights_row + ${tap}u * params.tap_step`, 'params.to_step')};
      ${each(uses, ({ j, value }) => `sum_${j} += value_${value} * weight;`)}
    }`;
  };
  return wgsl`
${flatIndex}
${activationFunction(activation)}
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
  let channel_group = vector / params.group_vectors;
  let channel = vector % params.group_vectors * ${width}u;
  let place = i / params.vectors;
  let block = place % params.blocks;
  let line = place / params.blocks;
  let picture = line / params.to_h;
  let row = i32(line % params.to_h);
  let from_column = params.from_column + i32(block) * ${step};
  let first_weight = channel_group * params.group_step + channel * params.to_step;
  ${each(range(extent), (x) => `let is_column_${x} = u32(from_column + ${x}) < params.from_w;`)}
  ${each(columnsOfBlock, (j) => `var sum_${j} = ${valueType(width)}();`)}
#if ${direction === 'forward'}
  var tap_row = 0u;
#else
  // The taps that lead from this row to the result.
  var tap_row = u32(row + params.pad_h) % u32(params.stride_h);
#endif
  for (var iteration = 0u; iteration < ${maxLoopIterations}u; iteration++) {
    if (tap_row >= params.kernel_h) {
      break;
    }
#if ${direction === 'forward'}
    let from_row = u32(row * params.stride_h + i32(tap_row) - params.pad_h);
#else
    let distance = row + params.pad_h - i32(tap_row);
    let from_row = u32(select(-1, distance / params.stride_h, distance >= 0));
#endif
    // A negative coordinate is a large unsigned one.
    let is_row = from_row < params.from_h;
    let pixel = (picture * params.from_h + from_row) * params.from_w + u32(from_column);
    var at = pixel * params.from_c + channel_group * params.group_from;
    var weights_row = first_weight + tap_row * ${window}u * params.tap_step;
    for (var c = 0u; c < ${maxLoopIterations}u; c++) {
      if (c >= params.group_from) {
        break;
      }
      ${each(
        range(extent),
        (x) => `let value_${x} = select(0.0, values[at + ${x}u * params.from_c], is_row & is_column_${x});`,
      )}
      ${each(range(window), multiply)}
      at++;
      weights_row += params.from_step;
    }
    tap_row += ${direction === 'forward' ? '1u' : 'u32(params.stride_h)'};
  }
  let to_column = block * ${results}u;
  let to_channel = channel_group * params.group_vectors * ${width}u + channel;
  let to = (line * params.to_w + to_column) * params.to_c + to_channel;
  ${each(
    columnsOfBlock,
    (j) => `if (to_column + ${j}u < params.to_w) {
    ${each(
      range(width),
      (part) =>
        `result[to + ${j}u * params.to_c + ${part}u] = activate(${partOf(`sum_${j}`, width, part)}${bias ? ` + bias_values[to_channel + ${part}u]` : ''});`,
    )}
  }`,
  )}
}
`;
}
