/** @file Partial sums: a second launch adds them in order, then applies the epilogue. */
import { sumSplits, type SumSplitsOptions, sumSplitsWorkgroup } from '../../../shaders/sumSplits.ts';
import { wgslType } from '../../core/dtype.ts';
import { sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { biasBinding, biasStorage, type Epilogue, epilogueOptions } from '../launch/epilogue.ts';
import { output } from '../launch/output.ts';

const sumSplitsKernel = defineKernel({
  name: 'sumSplits',
  bindings: ({ type, ...epilogue }: SumSplitsOptions): Bindings => ({
    partial: `read ${type}`,
    ...biasBinding(epilogue, type),
    out: `write ${type}`,
  }),
  params: { count: 'u32', n: 'u32', splits: 'u32', alpha: 'f32' },
  source: sumSplits,
  stores: 'out',
});

/** Returns the spec of `parts` partial sums, each of the size of `spec`. */
export function partialSpec(spec: TensorSpec, parts: number): TensorSpec {
  return { shape: [parts, sizeOf(spec.shape)], dtype: spec.dtype };
}

/** Adds partial sums in order, then applies the epilogue. The bias repeats along the last axis. */
export function addPartialSums(op: string, partial: Tensor, spec: TensorSpec, epilogue: Epilogue): Tensor {
  const out = output(partial.device, spec, op);
  partial.device.launch(sumSplitsKernel, {
    options: { type: wgslType(spec.dtype), ...epilogueOptions(epilogue) },
    bindings: {
      partial: partial.storage,
      out: out.storage,
      ...biasStorage(epilogue),
    },
    params: {
      count: out.size,
      n: epilogue.bias?.size ?? 1,
      splits: partial.shape[0] as number,
      alpha: epilogue.alpha ?? 0,
    },
    workgroups: Math.ceil(out.size / sumSplitsWorkgroup),
  });
  return out;
}
