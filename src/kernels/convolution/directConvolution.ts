/** @file Launches convolutions whose result has few channels, summed directly. The window is part of the program. */
import {
  directConvolution,
  type DirectOptions,
  directParams,
  directSize,
} from '../../../shaders/convolution/direct.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { type Conv2dLauncher, widened } from './conv2dCall.ts';
import { biasBinding, biasStorage, epilogueOptions } from '../launch/epilogue.ts';
import type { DirectAlgorithm } from '../loading/gpuKernels.ts';
import { output } from '../launch/output.ts';
import { rectangleValues } from './rectangles.ts';

const kernel = /* @__PURE__ */ defineKernel({
  name: 'directConvolution',
  bindings: (options: DirectOptions): Bindings => ({
    values: 'read vec4<f32>',
    weights: options.direction === 'forward' ? 'read f32' : 'read vec4<f32>',
    ...biasBinding(options, 'f32'),
    result: 'write f32',
  }),
  params: directParams,
  source: directConvolution,
});

export const direct: Conv2dLauncher<DirectAlgorithm> = {
  launch(given) {
    const { op, problem, algorithm, a: values, b: weights, spec, epilogue } = widened(given);
    const { shape } = algorithm;
    const { inputs, outputs } = problem.geometry;
    const out = output(values.device, spec, op);
    if (out.size === 0) return out;
    const rectangles = rectangleValues(shape.direction, problem.geometry, directSize(shape));
    values.device.launch(kernel, {
      options: { ...shape, ...epilogueOptions(epilogue) },
      bindings: {
        values: values.storage,
        weights: weights.storage,
        ...biasStorage(epilogue),
        result: out.storage,
      },
      params: {
        ...rectangles,
        vectors: (shape.direction === 'forward' ? inputs : outputs) / 4,
        alpha: epilogue.alpha ?? 0,
      },
      workgroups: rectangles.count,
    });
    return out;
  },
};
