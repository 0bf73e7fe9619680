/** @file Partial sums: a second launch adds them in order, then applies the epilogue. */
import { sumSplits, sumSplitsWorkgroup } from '../../shaders/sumSplits.ts';
import { wgslType } from '../core/dtype.ts';
import { sizeOf } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { type Bindings, defineKernel } from '../webgpu/kernel.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { output } from './output.ts';

/** What is applied to sums before they are written. */
export interface Epilogue {
  /** A vector of one value for each column. */
  bias?: Tensor | null;
  /** WGSL expression of `value`; may use `params.alpha`. */
  activation?: string;
  alpha?: number;
}

const sumSplitsKernel = defineKernel({
  name: 'sumSplits',
  bindings: ({ type, bias }: { type: string; bias: boolean; activation: string }): Bindings => ({
    partial: `read ${type}`,
    ...(bias ? { bias_values: `read ${type}` as const } : {}),
    out: `write ${type}`,
  }),
  params: { count: 'u32', n: 'u32', splits: 'u32', alpha: 'f32' },
  source: sumSplits,
});

/** The spec of `parts` partial sums, each of the size of `spec`. */
export function partialSpec(spec: TensorSpec, parts: number): TensorSpec {
  return { shape: [parts, sizeOf(spec.shape)], dtype: spec.dtype };
}

/** Adds partial sums in order, then applies the epilogue. The bias repeats along the last axis. */
export function addPartialSums(op: string, partial: Tensor, spec: TensorSpec, epilogue: Epilogue): Tensor {
  const out = output(partial.device, spec, op);
  const { bias, activation = 'value', alpha = 0 } = epilogue;
  partial.device.launch(sumSplitsKernel, {
    options: { type: wgslType(spec.dtype), bias: Boolean(bias), activation },
    bindings: {
      partial: partial.storage,
      out: out.storage,
      ...(bias ? { bias_values: bias.storage } : {}),
    },
    params: {
      count: out.size,
      n: bias?.size ?? 1,
      splits: partial.shape[0] as number,
      alpha,
    },
    workgroups: Math.ceil(out.size / sumSplitsWorkgroup),
  });
  return out;
}
