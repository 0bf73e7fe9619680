/** @file Launches depthwise convolutions in blocks: an invocation computes a few adjacent results of a row. */
import { type DepthwiseDirection, depthwiseOperands } from '../../../shaders/depthwise.ts';
import {
  blockColumns,
  type BlockOptions,
  blockParams,
  blockWorkgroup,
  depthwiseBlocks,
} from '../../../shaders/depthwise/blocks.ts';
import { sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { WindowAxis } from '../../core/windows.ts';
import { defineKernel } from '../../webgpu/kernel.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import {
  depthwiseBindings,
  channelWidth,
  type DepthwiseGeometry,
  type FilterGradParts,
  filterGradParts,
  geometryValues,
} from './depthwiseGeometry.ts';
import { addParts } from './depthwiseSums.ts';
import { output } from '../launch/output.ts';
import { partialSpec } from '../gemm/partialSums.ts';

const define = (name: string, direction: DepthwiseDirection) =>
  defineKernel({
    name,
    bindings: ({ width }: BlockOptions) => depthwiseBindings(direction)({ width }),
    params: blockParams,
    source: depthwiseBlocks(direction),
  });

const kernels = {
  forward: /* @__PURE__ */ define('depthwiseBlocks', 'forward'),
  inputGrad: /* @__PURE__ */ define('depthwiseBlocksInputGrad', 'inputGrad'),
  filterGrad: /* @__PURE__ */ define('depthwiseBlocksFilterGrad', 'filterGrad'),
};

/** Divides rows into lines, and each line into blocks. */
function cut(direction: DepthwiseDirection, { batch, rows, columns }: DepthwiseGeometry) {
  if (direction === 'forward')
    return {
      lines: batch * rows.output,
      blocks: Math.ceil(columns.output / blockColumns),
      block: blockColumns,
    };
  if (direction === 'inputGrad') {
    const alike = Math.ceil(columns.input / columns.stride);
    return {
      lines: batch * rows.input,
      blocks: columns.stride * Math.ceil(alike / blockColumns),
      block: blockColumns,
    };
  }
  // Distribute the taps evenly over the blocks, so that few results are unused.
  const blocks = Math.ceil(columns.window / blockColumns);
  return { lines: rows.window, blocks, block: Math.ceil(columns.window / blocks) };
}

/** Returns the distance between the taps that lead from a pixel to the result. */
const stepOf = ({ stride, dilation }: WindowAxis) => (dilation > 1 ? 1 : stride);

/** Launches one direction; a filter gradient may be split into `parts` of `rowsPerPart` rows. */
export function launchDepthwiseBlocks(
  op: string,
  direction: DepthwiseDirection,
  geometry: DepthwiseGeometry,
  a: Tensor,
  b: Tensor,
  spec: TensorSpec,
  { parts, rowsPerPart }: FilterGradParts = { parts: 1, rowsPerPart: 1 },
): Tensor {
  const { rows, columns, channels, multiplier } = geometry;
  const { device } = a;
  const out = output(device, spec, op);
  if (out.size === 0) return out;
  const width = channelWidth(geometry, a, b, out);
  const { lines, blocks, block } = cut(direction, geometry);
  const resultChannels = direction === 'inputGrad' ? channels : channels * multiplier;
  const count = (parts * lines * blocks * resultChannels) / width;
  const [first, second] = depthwiseOperands[direction];
  device.launch(kernels[direction], {
    options: {
      width,
      block,
      strided: direction === 'inputGrad' && (rows.stride > 1 || columns.stride > 1),
    },
    bindings: { [first]: a.storage, [second]: b.storage, out: out.storage },
    params: {
      count,
      blocks,
      ...geometryValues(geometry, width, rowsPerPart),
      step_h: stepOf(rows),
      step_w: stepOf(columns),
    },
    workgroups: Math.ceil(count / blockWorkgroup),
  });
  return out;
}

/** Each part of the images' rows has its own partial sums, which are added in order. */
export function depthwiseFilterGradInBlocks(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  dy: Tensor,
  spec: TensorSpec,
): Tensor {
  const split = filterGradParts(geometry, sizeOf(spec.shape), profileOf(x.device).depthwise.busyInvocations);
  const launch = (sums: TensorSpec) => launchDepthwiseBlocks(op, 'filterGrad', geometry, x, dy, sums, split);
  return split.parts === 1 ? launch(spec) : addParts(op, launch(partialSpec(spec, split.parts)), spec);
}
