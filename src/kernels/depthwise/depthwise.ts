/** @file Launches the three directions of a depthwise convolution, by the selected algorithm. */
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { selectDepthwise } from './depthwiseAlgorithm.ts';
import { depthwiseFilterGradInBlocks, launchDepthwiseBlocks } from './depthwiseBlocks.ts';
import type { DepthwiseGeometry } from './depthwiseGeometry.ts';
import { depthwiseFilterGradInStrips, launchDepthwiseStrips } from './depthwiseStrips.ts';

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
