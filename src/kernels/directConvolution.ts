/** @file Launches convolutions whose result has few channels, summed directly. The window is part of the program. */
import {
  directConvolution,
  directGroup,
  type DirectOptions,
  directParams,
} from '../../shaders/convolution/direct.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import type { DirectAlgorithm } from './conv2dAlgorithm.ts';
import { type Conv2dLauncher, widened } from './conv2dCall.ts';
import { firstBlock } from './firstBlock.ts';
import { output } from './output.ts';

const kernel = /* @__PURE__ */ defineKernel({
  name: 'directConvolution',
  bindings: ({ direction, bias }: DirectOptions): Bindings => ({
    values: 'read vec4<f32>',
    weights: direction === 'forward' ? 'read f32' : 'read vec4<f32>',
    ...(bias ? { bias_values: 'read f32' as const } : {}),
    result: 'write f32',
  }),
  params: directParams,
  source: directConvolution,
});

export const direct: Conv2dLauncher<DirectAlgorithm> = {
  launch(given) {
    const { op, problem, algorithm, a: values, b: weights, spec, epilogue } = widened(given);
    const { bias = null, activation = 'value', alpha = 0 } = epilogue;
    const { geometry } = problem;
    const { batch, rows, columns } = geometry;
    const { shape } = algorithm;
    const out = output(values.device, spec, op);
    if (out.size === 0) return out;
    const { direction } = shape;
    const [, to_h, to_w] = spec.shape as [number, number, number, number];
    const isForward = direction === 'forward';
    const [down, across] = [firstBlock(direction, rows), firstBlock(direction, columns)];
    const group_rows = Math.ceil((to_h - down.to) / (directGroup.rows * shape.rows.results));
    const group_columns = Math.ceil((to_w - across.to) / (directGroup.columns * shape.columns.results));
    const count = batch * group_rows * group_columns;
    values.device.launch(kernel, {
      options: { ...shape, bias: bias !== null, activation },
      bindings: {
        values: values.storage,
        weights: weights.storage,
        ...(bias ? { bias_values: bias.storage } : {}),
        result: out.storage,
      },
      params: {
        count,
        group_rows,
        group_columns,
        from_h: isForward ? rows.input : rows.output,
        from_w: isForward ? columns.input : columns.output,
        from_row: down.from,
        from_column: across.from,
        vectors: (isForward ? geometry.inputs : geometry.outputs) / 4,
        to_h,
        to_w,
        to_row: down.to,
        to_column: across.to,
        alpha,
      },
      workgroups: count,
    });
    return out;
  },
};
