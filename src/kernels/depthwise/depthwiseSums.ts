/** @file Adds the parts of a depthwise filter gradient: in order, or in a tree if invocations share lines. */
import type { TensorSpec } from '../../core/spec.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { kernels } from '../loading/loadKernels.ts';
import { addPartialSums } from '../gemm/partialSums.ts';

/** Returns the sum of `partial` [parts, …] in the shape of `spec`. */
export function addParts(op: string, partial: Tensor, spec: TensorSpec): Tensor {
  if (!profileOf(partial.device).lines.shared) return addPartialSums(op, partial, spec, {});
  const [total] = kernels().reduceKernel(op, partial, [0], [spec], { combine: 'a + b' });
  return total;
}
