/** @file Launches the three directions of a depthwise convolution, by the selected algorithm. */
import type { AdapterProfile } from '../selection/adapterProfile.ts';
import type { DepthwiseGeometry } from './depthwiseGeometry.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { depthwiseFilterGradInBlocks, launchDepthwiseBlocks } from './depthwiseBlocks.ts';
import { depthwiseFilterGradInStrips, launchDepthwiseStrips } from './depthwiseStrips.ts';

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

/** Selects the algorithm of a depthwise convolution, in all three directions. */
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

const directionKernel =
  (direction: 'forward' | 'inputGrad') =>
  (op: string, geometry: DepthwiseGeometry, a: Tensor, kernel: Tensor, spec: TensorSpec): Tensor => {
    const isInStrips = selectDepthwise(geometry, profileOf(a.device)) === 'strips';
    const launch = isInStrips ? launchDepthwiseStrips : launchDepthwiseBlocks;
    return launch(op, direction, geometry, a, kernel, spec);
  };

export const depthwiseKernel = /* @__PURE__ */ directionKernel('forward');
export const depthwiseInputGradKernel = /* @__PURE__ */ directionKernel('inputGrad');

export function depthwiseFilterGradKernel(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  dy: Tensor,
  spec: TensorSpec,
): Tensor {
  const isInStrips = selectDepthwise(geometry, profileOf(x.device)) === 'strips';
  const launch = isInStrips ? depthwiseFilterGradInStrips : depthwiseFilterGradInBlocks;
  return launch(op, geometry, x, dy, spec);
}
