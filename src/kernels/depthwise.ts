/**
 * @file Launches the three directions of a depthwise convolution: result by result on GPUs, where threads are many and
 * neighbours share a cache; on CPU adapters in strips or blocks, which read what they share once.
 */
import {
  depthwise,
  type DepthwiseDirection,
  depthwiseOperands,
  depthwiseParams,
  depthwiseWorkgroup,
} from '../../shaders/depthwise.ts';
import type { TensorSpec } from '../core/spec.ts';
import { defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { depthwiseFilterGradInBlocks, launchDepthwiseBlocks } from './depthwiseBlocks.ts';
import {
  depthwiseFilterGradInStrips,
  depthwiseInputGradInStrips,
  depthwiseInStrips,
  usesStrips,
} from './depthwiseStrips.ts';
import {
  depthwiseBindings,
  channelWidth,
  type DepthwiseGeometry,
  geometryValues,
  inParts,
} from './depthwiseGeometry.ts';
import { output } from './output.ts';

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

/** Invocations that fill a device; a filter gradient is cut into parts until there are as many. */
const wantedInvocations = 16384;

function launch(
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

const onCpu = ({ device }: Tensor) => device.adapter.class === 'cpu';

export function depthwiseKernel(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  kernel: Tensor,
  spec: TensorSpec,
): Tensor {
  if (usesStrips(x.device.adapter.class, geometry)) return depthwiseInStrips(op, geometry, x, kernel, spec);
  return onCpu(x)
    ? launchDepthwiseBlocks(op, 'forward', geometry, x, kernel, spec)
    : launch(op, 'forward', geometry, x, kernel, spec);
}

export function depthwiseInputGradKernel(
  op: string,
  geometry: DepthwiseGeometry,
  dy: Tensor,
  kernel: Tensor,
  spec: TensorSpec,
): Tensor {
  if (usesStrips(dy.device.adapter.class, geometry))
    return depthwiseInputGradInStrips(op, geometry, dy, kernel, spec);
  return onCpu(dy)
    ? launchDepthwiseBlocks(op, 'inputGrad', geometry, dy, kernel, spec)
    : launch(op, 'inputGrad', geometry, dy, kernel, spec);
}

export function depthwiseFilterGradKernel(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  dy: Tensor,
  spec: TensorSpec,
): Tensor {
  if (usesStrips(x.device.adapter.class, geometry))
    return depthwiseFilterGradInStrips(op, geometry, x, dy, spec);
  if (onCpu(x)) return depthwiseFilterGradInBlocks(op, geometry, x, dy, spec);
  return inParts(op, geometry, spec, wantedInvocations, (sums, _, rowsPerPart) =>
    launch(op, 'filterGrad', geometry, x, dy, sums, rowsPerPart),
  );
}
