/** @file Launches convolutions of images with few channels from patches in workgroup memory. The window is part of the program. */
import {
  patchConvolution,
  type PatchOptions,
  patchParams,
  patchSize,
} from '../../../shaders/convolution/patches.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { type Conv2dLauncher, widened } from './conv2dCall.ts';
import { biasBinding, biasStorage, epilogueOptions } from '../launch/epilogue.ts';
import type { PatchForwardAlgorithm } from '../loading/gpuKernels.ts';
import { output } from '../launch/output.ts';
import { rectangleValues } from './rectangles.ts';

const kernel = /* @__PURE__ */ defineKernel({
  name: 'patchConvolution',
  bindings: (options: PatchOptions): Bindings => ({
    image: 'read f32',
    weights: 'read vec4<f32>',
    ...biasBinding(options, 'f32'),
    result: 'write vec4<f32>',
  }),
  params: patchParams,
  source: patchConvolution,
});

export const patchForward: Conv2dLauncher<PatchForwardAlgorithm> = {
  launch(given) {
    const { op, problem, algorithm, a: image, b: weights, spec, epilogue } = widened(given);
    const { shape } = algorithm;
    const filters = problem.geometry.outputs / 4;
    const out = output(image.device, spec, op);
    if (out.size === 0) return out;
    const size = patchSize(shape);
    const group_filters = Math.ceil(filters / size.filters);
    const rectangles = rectangleValues('forward', problem.geometry, size);
    const count = rectangles.count * group_filters;
    image.device.launch(kernel, {
      options: { ...shape, ...epilogueOptions(epilogue) },
      bindings: {
        image: image.storage,
        weights: weights.storage,
        ...biasStorage(epilogue),
        result: out.storage,
      },
      params: { ...rectangles, count, group_filters, filters, alpha: epilogue.alpha ?? 0 },
      workgroups: count,
    });
    return out;
  },
};
