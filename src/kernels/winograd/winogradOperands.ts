/** @file Transforms both operands of a Winograd convolution in one launch, on GPUs. */
import { operandsParams, winogradOperands } from '../../../shaders/winograd/operands.ts';
import { defineKernel } from '../../webgpu/kernel.ts';
import type { TransformOperands } from '../loading/gpuKernels.ts';
import { groups, kernelsPart, tilesPart } from './winogradTransforms.ts';

const operandsKernel = /* @__PURE__ */ defineKernel({
  name: 'winogradOperands',
  bindings: { weights: 'read f32', image: 'read f32', kernels: 'write f32', tiles: 'write f32' },
  params: operandsParams,
  source: winogradOperands,
});

export const transformOperands: TransformOperands = (op, tiling, band, image, kernel) => {
  const ofKernel = kernelsPart(op, tiling.block, kernel);
  const ofImage = tilesPart(op, tiling, band, image);
  const count = ofKernel.count + ofImage.count;
  image.values.device.launch(operandsKernel, {
    options: { block: tiling.block },
    bindings: { ...ofKernel.bindings, ...ofImage.bindings },
    params: { ...ofKernel.params, ...ofImage.params, count },
    workgroups: groups(count),
  });
  return { kernels: ofKernel.kernels, tiles: ofImage.tiles };
};
