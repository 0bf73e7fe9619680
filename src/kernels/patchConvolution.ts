/** @file Launches convolutions of images with few channels from patches in workgroup memory. The window is part of the program. */
import {
  patchConvolution,
  type PatchOptions,
  patchParams,
  patchSize,
} from '../../shaders/convolution/patches.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import type { PatchAlgorithm } from './conv2dAlgorithm.ts';
import { type Conv2dLauncher, widened } from './conv2dCall.ts';
import { output } from './output.ts';

const kernel = /* @__PURE__ */ defineKernel({
  name: 'patchConvolution',
  bindings: ({ bias }: PatchOptions): Bindings => ({
    image: 'read f32',
    weights: 'read vec4<f32>',
    ...(bias ? { bias_values: 'read f32' as const } : {}),
    result: 'write vec4<f32>',
  }),
  params: patchParams,
  source: patchConvolution,
});

export const patches: Conv2dLauncher<PatchAlgorithm> = {
  launch(given) {
    const { op, problem, algorithm, a: image, b: weights, spec, epilogue } = widened(given);
    const { bias = null, activation = 'value', alpha = 0 } = epilogue;
    const { shape } = algorithm;
    const { batch, rows, columns, outputs } = problem.geometry;
    const out = output(image.device, spec, op);
    if (out.size === 0) return out;
    const size = patchSize(shape);
    const group_rows = Math.ceil(rows.output / size.rows);
    const group_columns = Math.ceil(columns.output / size.columns);
    const group_filters = Math.ceil(outputs / 4 / size.filters);
    const count = batch * group_rows * group_columns * group_filters;
    image.device.launch(kernel, {
      options: { ...shape, bias: bias !== null, activation },
      bindings: {
        image: image.storage,
        weights: weights.storage,
        ...(bias ? { bias_values: bias.storage } : {}),
        result: out.storage,
      },
      params: {
        count,
        group_rows,
        group_columns,
        group_filters,
        from_h: rows.input,
        from_w: columns.input,
        to_h: rows.output,
        to_w: columns.output,
        pad_h: rows.before,
        pad_w: columns.before,
        filters: outputs / 4,
        alpha,
      },
      workgroups: count,
    });
    return out;
  },
};
