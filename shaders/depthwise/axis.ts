/**
 * @file One axis of a depthwise convolution, seen from a block of neighbouring results: which taps and which values make
 * each of them. Kernels and strides are known here, so that WGSL names each value once, and reads it once.
 */

import { range } from '../lib/text.ts';

/** Neighbouring channels that an invocation computes. More of them share addresses, and take more registers. */
export type ChannelWidth = 1 | 2 | 4;

/** The WGSL type of their values. */
export const valueType = (width: ChannelWidth) => (width === 1 ? 'f32' : `vec${width}<f32>`);

export type Direction = 'forward' | 'inputGrad';

/** A tap of the kernel, and the value that it multiplies: counted from the first that the block reads. */
export interface Term {
  tap: number;
  value: number;
}

export interface BlockAxis {
  /** The sum of each result. */
  terms: readonly (readonly Term[])[];
  /** Values that the block reads, and how far on the next block's are. */
  extent: number;
  step: number;
}

/**
 * A block of `results` results. An input gradient's begin on a multiple of the stride, counted from the padding's begin,
 * and are a multiple of the stride, so that all blocks are alike.
 */
export function blockAxis(direction: Direction, window: number, stride: number, results: number): BlockAxis {
  const taps = range(window);
  if (direction === 'forward') {
    return {
      terms: range(results).map((i) => taps.map((tap) => ({ tap, value: i * stride + tap }))),
      extent: (results - 1) * stride + window,
      step: results * stride,
    };
  }
  const before = valuesBefore(window, stride);
  const terms = range(results).map((i) =>
    taps
      .filter((tap) => (i - tap) % stride === 0)
      .map((tap) => ({ tap, value: (i - tap) / stride + before })),
  );
  return { terms, extent: before + results / stride, step: results / stride };
}

/** Values that an input gradient reads before the one that its block begins at. */
export function valuesBefore(window: number, stride: number): number {
  return Math.floor((window - 1) / stride);
}
