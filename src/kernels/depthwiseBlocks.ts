/** @file Launches depthwise convolutions of any kernel on CPU adapters, a few neighbours of a row at a time. */
import { type DepthwiseDirection, depthwiseOperands } from '../../shaders/depthwise.ts';
import {
  blockColumns,
  type BlockOptions,
  blockParams,
  blockWorkgroup,
  depthwiseBlocks,
} from '../../shaders/depthwise/blocks.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { WindowAxis } from '../core/windows.ts';
import { defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
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
    bindings: ({ width }: BlockOptions) => depthwiseBindings(direction)({ width }),
    params: blockParams,
    source: depthwiseBlocks(direction),
  });

const kernels = {
  forward: /* @__PURE__ */ define('depthwiseBlocks', 'forward'),
  inputGrad: /* @__PURE__ */ define('depthwiseBlocksInputGrad', 'inputGrad'),
  filterGrad: /* @__PURE__ */ define('depthwiseBlocksFilterGrad', 'filterGrad'),
};

/** Invocations that fill a CPU adapter's threads evenly. */
const busyInvocations = 1024;

/** How rows are cut: into lines, and each line into blocks. */
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
  // As many taps to each block, so that few are computed in vain.
  const blocks = Math.ceil(columns.window / blockColumns);
  return { lines: rows.window, blocks, block: Math.ceil(columns.window / blocks) };
}

/** How far apart the taps are that lead from a pixel to the result. */
const stepOf = ({ stride, dilation }: WindowAxis) => (dilation > 1 ? 1 : stride);

/** One direction; of a filter gradient, one that is cut into `parts` of `rowsPerPart` rows. */
export function launchDepthwiseBlocks(
  op: string,
  direction: DepthwiseDirection,
  geometry: DepthwiseGeometry,
  a: Tensor,
  b: Tensor,
  spec: TensorSpec,
  parts = 1,
  rowsPerPart = 1,
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

export function depthwiseFilterGradInBlocks(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  dy: Tensor,
  spec: TensorSpec,
): Tensor {
  return inParts(op, geometry, spec, busyInvocations, (sums, parts, rowsPerPart) =>
    launchDepthwiseBlocks(op, 'filterGrad', geometry, x, dy, sums, parts, rowsPerPart),
  );
}
