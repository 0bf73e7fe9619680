/**
 * @file One axis of a depthwise convolution, for a block of adjacent results: which taps and values each of them sums. The
 * kernel size and stride are known here, so that WGSL names and reads each value once.
 */

import { range } from '../lib/text.ts';

/** Adjacent channels per invocation: more share addresses, but take more registers. */
export type ChannelWidth = 1 | 2 | 4;

/** The WGSL type of so many values. */
export const valueType = (width: ChannelWidth | 3) => (width === 1 ? 'f32' : `vec${width}<f32>`);

export type Direction = 'forward' | 'inputGrad';

/** A tap of the kernel, and the value it is multiplied by, counted from the first value that the block reads. */
export interface Term {
  tap: number;
  value: number;
}

export interface BlockAxis {
  /** The terms of each result. */
  terms: readonly (readonly Term[])[];
  /** The number of values that the block reads, and the distance to those of the next block. */
  extent: number;
  step: number;
}

/** Values of a block, at its start and at its end, that may be outside of the image. */
export type Edges = { before: number; after: number };

/** Which of `extent` values are tested: those at the edges, or all where these aren't known. */
export const testedValues = (edges: Edges | undefined, extent: number) =>
  range(extent).filter((x) => !edges || x < edges.before || x >= extent - edges.after);

/** Rows and columns. */
export interface BlockSize {
  rows: number;
  columns: number;
}

/** The parameters of kernels that divide images into blocks. */
export const blockGridParams = {
  /** Size of what is read, and where in it the first block begins. */
  from_h: 'u32',
  from_w: 'u32',
  from_row: 'i32',
  from_column: 'i32',
  /** Size of the result. */
  to_h: 'u32',
  to_w: 'u32',
} as const;

/**
 * A block of `results` results. For an input gradient, their number is a multiple of the stride, so that all blocks are alike;
 * `phase` is how far they are from multiples of the stride, counted from the start of the padding.
 */
export function blockAxis(
  direction: Direction,
  window: number,
  stride: number,
  results: number,
  phase = 0,
): BlockAxis {
  const taps = range(window);
  if (direction === 'forward') {
    return {
      terms: range(results).map((i) => taps.map((tap) => ({ tap, value: i * stride + tap }))),
      extent: (results - 1) * stride + window,
      step: results * stride,
    };
  }
  const before = valuesBefore(window, stride, phase);
  const terms = range(results).map((i) =>
    taps
      .filter((tap) => (i + phase - tap) % stride === 0)
      .map((tap) => ({ tap, value: (i + phase - tap) / stride + before })),
  );
  const last = Math.floor((results - 1 + phase) / stride);
  return { terms, extent: before + last + 1, step: results / stride };
}

/** Values that an input gradient reads before those of its block's first multiple of the stride. */
export function valuesBefore(window: number, stride: number, phase: number): number {
  return Math.floor((window - 1 - phase) / stride);
}
