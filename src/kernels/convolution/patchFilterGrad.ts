/** @file Launches the gradient of a convolution's kernel from patches of an image with few channels. */
import {
  filterGradSize,
  patchFilterGrad,
  patchFilterGradParams,
  type PatchFilterGradShape,
  rowGroups,
} from '../../../shaders/convolution/patchFilterGrad.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { type Conv2dLauncher, widened } from './conv2dCall.ts';
import type { PatchFilterGradAlgorithm } from '../loading/gpuKernels.ts';
import { output } from '../launch/output.ts';
import { partialSpec } from '../gemm/partialSums.ts';
import { reduceKernel } from '../reduce/reduce.ts';
import { rectangleValues } from './rectangles.ts';

const kernel = /* @__PURE__ */ defineKernel({
  name: 'patchFilterGrad',
  bindings: ({ width }: PatchFilterGradShape): Bindings => ({
    image: 'read f32',
    cotangents: `read vec${width}<f32>`,
    result: `write vec${width}<f32>`,
  }),
  params: patchFilterGradParams,
  source: patchFilterGrad,
});

export const patchFilterGradient: Conv2dLauncher<PatchFilterGradAlgorithm> = {
  launch(given) {
    const { op, problem, algorithm, a: image, b: cotangents, spec } = widened(given);
    const { shape } = algorithm;
    const { device } = image;
    const rectangles = rectangleValues('forward', problem.geometry, filterGradSize(shape));
    const parts = Math.min(algorithm.parts, rectangles.count);
    const sums = output(device, parts > 1 ? partialSpec(spec, parts) : spec, op);
    const filters = problem.geometry.outputs / shape.width;
    const group_filters = Math.ceil(filters / shape.filterLanes);
    const count = group_filters * rowGroups(shape) * parts;
    device.launch(kernel, {
      options: shape,
      bindings: { image: image.storage, cotangents: cotangents.storage, result: sums.storage },
      params: { ...rectangles, count, rectangles: rectangles.count, parts, group_filters, filters, alpha: 0 },
      workgroups: count,
    });
    if (parts === 1) return sums;
    const [total] = reduceKernel(op, sums, [0], [spec], { combine: 'a + b' });
    return total;
  },
};
