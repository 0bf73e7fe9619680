/** @file Selects the algorithm of a depthwise convolution, in all three directions. */
import type { AdapterProfile } from '../selection/adapterProfile.ts';
import type { DepthwiseGeometry } from './depthwiseGeometry.ts';

/** Blocks of adjacent results that share what they read; or strips of rows, by a program specialized for a kernel size. */
export type DepthwiseAlgorithm = 'blocks' | 'strips';

const largestStride = 2;

/** Returns whether strips can compute it: square kernels and strides, without dilation, one filter per channel. */
function allowsStrips({ rows, columns, multiplier }: DepthwiseGeometry): boolean {
  return (
    multiplier === 1 &&
    rows.stride <= largestStride &&
    rows.window === columns.window &&
    rows.stride === columns.stride &&
    rows.dilation === 1 &&
    columns.dilation === 1
  );
}

export function selectDepthwise(
  geometry: DepthwiseGeometry,
  { depthwise: { strips } }: AdapterProfile,
): DepthwiseAlgorithm {
  const { batch, rows, columns, channels } = geometry;
  const minWork = strips[rows.window]?.minWork;
  const work = rows.window * columns.window * batch * rows.output * columns.output * channels;
  const isWorthIt = minWork !== undefined && work >= minWork;
  return isWorthIt && allowsStrips(geometry) ? 'strips' : 'blocks';
}
