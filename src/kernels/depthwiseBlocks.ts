/** @file Launches depthwise convolutions of any kernel on CPU adapters, a few neighbours of a row at a time. */
import { depthwiseOperands } from '../../shaders/depthwise.ts';
import {
  blockColumns,
  type BlockDirection,
  type BlockOptions,
  blockParams,
  blockWorkgroup,
  depthwiseBlocks,
} from '../../shaders/depthwise/blocks.ts';
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { WindowAxis } from '../core/windows.ts';
import { type Bindings, defineKernel } from '../gpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { DepthwiseGeometry } from './depthwise.ts';
import { addPartialSums } from './gemm.ts';
import { bindsAsVectors, output } from './output.ts';

const define = (name: string, direction: BlockDirection) =>
  defineKernel({
    name,
    bindings: ({ width }: BlockOptions): Bindings => {
      const element = width === 4 ? 'vec4<f32>' : 'f32';
      const [a, b] = depthwiseOperands[direction];
      return { [a]: `read ${element}`, [b]: `read ${element}`, out: `write ${element}` };
    },
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
function cut(direction: BlockDirection, { batch, rows, columns }: DepthwiseGeometry) {
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
  direction: BlockDirection,
  geometry: DepthwiseGeometry,
  a: Tensor,
  b: Tensor,
  spec: TensorSpec,
  parts = 1,
  rowsPerPart = 1,
): Tensor {
  const { batch, rows, columns, channels, multiplier } = geometry;
  const { device } = a;
  const out = output(device, spec, op);
  if (out.size === 0) return out;
  const vectors = multiplier === 1 && channels % 4 === 0 && [a, b, out].every(bindsAsVectors);
  const width: 1 | 4 = vectors ? 4 : 1;
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
      in_h: rows.input,
      in_w: columns.input,
      in_c: channels / width,
      out_h: rows.output,
      out_w: columns.output,
      out_c: (channels * multiplier) / width,
      multiplier,
      kernel_h: rows.window,
      kernel_w: columns.window,
      stride_h: rows.stride,
      stride_w: columns.stride,
      dilation_h: rows.dilation,
      dilation_w: columns.dilation,
      pad_h: rows.before,
      pad_w: columns.before,
      step_h: stepOf(rows),
      step_w: stepOf(columns),
      rows: batch * rows.output,
      rows_per_part: rowsPerPart,
    },
    workgroups: Math.ceil(count / blockWorkgroup),
  });
  return out;
}

/** Each part covers some rows of the images; the parts are added in order, so that the bits are the same every time. */
export function depthwiseFilterGradInBlocks(
  op: string,
  geometry: DepthwiseGeometry,
  x: Tensor,
  dy: Tensor,
  spec: TensorSpec,
): Tensor {
  const rows = geometry.batch * geometry.rows.output;
  const size = Math.max(1, sizeOf(spec.shape));
  const wanted = Math.max(1, Math.min(rows, Math.ceil(busyInvocations / size)));
  const rowsPerPart = Math.max(1, Math.ceil(rows / wanted));
  const parts = Math.max(1, Math.ceil(rows / rowsPerPart));
  if (parts === 1) return launchDepthwiseBlocks(op, 'filterGrad', geometry, x, dy, spec, 1, rowsPerPart);
  const sums = { shape: [parts, size], dtype: spec.dtype };
  const partial = launchDepthwiseBlocks(op, 'filterGrad', geometry, x, dy, sums, parts, rowsPerPart);
  return addPartialSums(op, partial, spec, {});
}
