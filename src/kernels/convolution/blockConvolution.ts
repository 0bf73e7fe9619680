/** @file Launches convolutions of few channels, and their gradients, in blocks of adjacent results. */
import {
  blockParams,
  blockWorkgroup,
  convolutionBlocks,
  type ConvolutionBlockOptions,
  type BlockShape,
} from '../../../shaders/convolution/blocks.ts';
import {
  blockFilterGrad,
  blockFilterGradParams,
  type BlockFilterGradShape,
} from '../../../shaders/convolution/blockFilterGrad.ts';
import { sizeOf } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { blockGrid } from '../depthwise/blockGrid.ts';
import { type Conv2dCall, type Conv2dLauncher, widened } from './conv2dCall.ts';
import { iterationsOfRow } from './convolutionBlocks.ts';
import { filterGradParts } from '../depthwise/depthwiseGeometry.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { biasBinding, biasStorage, epilogueOptions } from '../launch/epilogue.ts';
import { maxIterations } from '../launch/iterationLimit.ts';
import { output } from '../launch/output.ts';
import { addPartialSums, partialSpec } from '../gemm/partialSums.ts';
import type { BlockAlgorithm } from '../loading/softwareKernels.ts';

const kernel = /* @__PURE__ */ defineKernel({
  name: 'convolutionBlocks',
  bindings: (options: ConvolutionBlockOptions): Bindings => ({
    values: 'read f32',
    weights: 'read f32',
    ...biasBinding(options, 'f32'),
    result: 'write f32',
  }),
  params: blockParams,
  source: convolutionBlocks,
});

const filterGradKernel = /* @__PURE__ */ defineKernel({
  name: 'convolutionBlocksFilterGrad',
  bindings: { image: 'read f32', cotangent: 'read f32', sums: 'write f32' },
  params: blockFilterGradParams,
  source: blockFilterGrad,
});

export const blockConvolution: Conv2dLauncher<BlockAlgorithm> = {
  launch(given) {
    const call = widened(given);
    const { shape } = call.algorithm;
    if (sizeOf(call.spec.shape) === 0) return output(call.a.device, call.spec, call.op);
    return shape.direction === 'filterGrad' ? launchFilterGrad(call, shape) : launchBlocks(call, shape);
  },
};

function launchBlocks({ op, problem, a, b, spec, epilogue }: Conv2dCall, shape: BlockShape): Tensor {
  const { direction, width, columns } = shape;
  const { batch, rows, inputs, outputs, groups } = problem.geometry;
  const out = output(a.device, spec, op);
  const grid = blockGrid(direction, problem.geometry);
  const blocks = Math.ceil(grid.to_w / columns.results);
  const [from_c, to_c] = direction === 'forward' ? [inputs, outputs] : [outputs, inputs];
  const [from_step, to_step] = direction === 'forward' ? [outputs, 1] : [1, outputs];
  const vectors = to_c / width;
  const count = batch * grid.to_h * blocks * vectors;
  a.device.launch(kernel, {
    options: { ...shape, ...epilogueOptions(epilogue) },
    bindings: { values: a.storage, weights: b.storage, ...biasStorage(epilogue), result: out.storage },
    params: {
      ...grid,
      count,
      blocks,
      from_c,
      group_from: from_c / groups,
      to_c,
      vectors,
      group_vectors: vectors / groups,
      kernel_h: rows.window,
      stride_h: rows.stride,
      pad_h: rows.before,
      tap_step: (inputs / groups) * outputs,
      from_step,
      to_step,
      group_step: outputs / groups,
      alpha: epilogue.alpha ?? 0,
    },
    workgroups: Math.ceil(count / blockWorkgroup),
  });
  return out;
}

function launchFilterGrad({ op, problem, a, b, spec }: Conv2dCall, shape: BlockFilterGradShape): Tensor {
  const { geometry } = problem;
  const { batch, rows, columns, inputs, outputs, groups } = geometry;
  const vectors = outputs / shape.width;
  const lines = rows.window * (inputs / groups) * vectors;
  const { busyInvocations } = profileOf(a.device).gemm;
  const maxRows = Math.floor(maxIterations / iterationsOfRow(geometry));
  const { parts, rowsPerPart } = filterGradParts(geometry, lines, busyInvocations, maxRows);
  const sums = output(a.device, parts === 1 ? spec : partialSpec(spec, parts), op);
  const count = parts * lines;
  a.device.launch(filterGradKernel, {
    options: shape,
    bindings: { image: a.storage, cotangent: b.storage, sums: sums.storage },
    params: {
      count,
      in_h: rows.input,
      in_w: columns.input,
      in_c: inputs,
      group_in: inputs / groups,
      out_h: rows.output,
      out_w: columns.output,
      out_c: outputs,
      vectors,
      group_vectors: vectors / groups,
      kernel_h: rows.window,
      stride_h: rows.stride,
      pad_h: rows.before,
      pad_w: columns.before,
      rows: batch * rows.output,
      rows_per_part: rowsPerPart,
    },
    workgroups: Math.ceil(count / blockWorkgroup),
  });
  if (parts === 1) return sums;
  const total = addPartialSums(op, sums, spec, {});
  sums.dispose();
  return total;
}
