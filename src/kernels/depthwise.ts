/** @file Launches the three directions of a depthwise convolution, by the selected algorithm. */
import {
  depthwise,
  type DepthwiseDirection,
  depthwiseOperands,
  depthwiseParams,
  depthwiseWorkgroup,
} from '../../shaders/depthwise.ts';
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { profileOf } from './adapterProfiles.ts';
import { selectDepthwise } from './depthwiseAlgorithm.ts';
import { depthwiseFilterGradInBlocks, launchDepthwiseBlocks } from './depthwiseBlocks.ts';
import {
  channelWidth,
  depthwiseBindings,
  type DepthwiseGeometry,
  filterGradParts,
  geometryValues,
} from './depthwiseGeometry.ts';
import { depthwiseFilterGradInStrips, launchDepthwiseStrips } from './depthwiseStrips.ts';
import { output } from './output.ts';
import { addPartialSums, partialSpec } from './partialSums.ts';

const define = (name: string, direction: DepthwiseDirection) =>
  defineKernel({
    name,
    bindings: depthwiseBindings(direction),
    params: depthwiseParams,
    source: depthwise(direction),
  });

const kernels = {
  forward: /* @__PURE__ */ define('depthwiseConv2d', 'forward'),
  inputGrad: /* @__PURE__ */ define('depthwiseConv2dInputGrad', 'inputGrad'),
  filterGrad: /* @__PURE__ */ define('depthwiseConv2dFilterGrad', 'filterGrad'),
};

/** Invocations that fill a GPU. A filter gradient is cut into parts until there are as many. */
const wantedInvocations = 16384;

/** One result per invocation. */
function launchResults(
  op: string,
  direction: DepthwiseDirection,
  geometry: DepthwiseGeometry,
  a: Tensor,
  b: Tensor,
  spec: TensorSpec,
  rowsPerPart = 1,
): Tensor {
  const { device } = a;
  const out = output(device, spec, op);
  if (out.size === 0) return out;
  const width = channelWidth(geometry, a, b, out);
  const [first, second] = depthwiseOperands[direction];
  const count = out.size / width;
  device.launch(kernels[direction], {
    options: { width },
    bindings: { [first]: a.storage, [second]: b.storage, out: out.storage },
    params: { count, ...geometryValues(geometry, width, rowsPerPart) },
    workgroups: Math.ceil(count / depthwiseWorkgroup),
  });
  return out;
}

function launch(
  op: string,
  direction: Exclude<DepthwiseDirection, 'filterGrad'>,
  geometry: DepthwiseGeometry,
  a: Tensor,
  kernel: Tensor,
  spec: TensorSpec,
): Tensor {
  const algorithm = selectDepthwise(geometry, profileOf(a.device));
  if (algorithm === 'strips') return launchDepthwiseStrips(op, direction, geometry, a, kernel, spec);
  if (algorithm === 'blocks') return launchDepthwiseBlocks(op, direction, geometry, a, kernel, spec);
  return launchResults(op, direction, geometry, a, kernel, spec);
}

export function depthwiseKernel(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  kernel: Tensor,
  spec: TensorSpec,
): Tensor {
  return launch(op, 'forward', geometry, x, kernel, spec);
}

export function depthwiseInputGradKernel(
  op: string,
  geometry: DepthwiseGeometry,
  dy: Tensor,
  kernel: Tensor,
  spec: TensorSpec,
): Tensor {
  return launch(op, 'inputGrad', geometry, dy, kernel, spec);
}

export function depthwiseFilterGradKernel(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  dy: Tensor,
  spec: TensorSpec,
): Tensor {
  const algorithm = selectDepthwise(geometry, profileOf(x.device));
  if (algorithm === 'strips') return depthwiseFilterGradInStrips(op, geometry, x, dy, spec);
  if (algorithm === 'blocks') return depthwiseFilterGradInBlocks(op, geometry, x, dy, spec);
  return filterGradOfResults(op, geometry, x, dy, spec);
}

/** Parts of the images' rows have partial sums of their own, which are added in order. */
function filterGradOfResults(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  dy: Tensor,
  spec: TensorSpec,
): Tensor {
  const { parts, rowsPerPart } = filterGradParts(geometry, sizeOf(spec.shape), wantedInvocations);
  const sum = (sums: TensorSpec) => launchResults(op, 'filterGrad', geometry, x, dy, sums, rowsPerPart);
  return parts === 1 ? sum(spec) : addPartialSums(op, sum(partialSpec(spec, parts)), spec, {});
}
