/** @file Dtype policies: the dtypes in which layers store weights and multiply. */
import { type DType, dtypes, isDType } from '../../../core/dtype.ts';
import { DTypeError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { suggestionFor } from '../../../core/suggest.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import type { Tensor } from '../../../tensor/tensor.ts';

/** A dtype of weights, or 'mixedFloat16': float32 weights, which matmuls and convolutions read as float16. */
export type DTypePolicy = DType | 'mixedFloat16';

let current: DTypePolicy = 'float32';

/** The policy of layers that don't set `dtype`. Initially 'float32'. */
export function getDTypePolicy(): DTypePolicy {
  return current;
}

/**
 * Sets the policy of layers that are created from now on without a `dtype`: 'float32', or 'mixedFloat16', Keras's mixed_float16.
 *
 * With 'mixedFloat16', `dense`, `conv1d` and `conv2d` round their inputs and kernels to float16; weights, sums, results and
 * gradients stay float32, so that gradients don't vanish without a loss scale, and all other layers compute in float32. It
 * needs no feature of the adapter: rounding is integer arithmetic. It is faster only where the device multiplies float16 in
 * subgroup matrices (`init({ subgroupMatrices: true })`); elsewhere it gives the numbers of mixed precision, at the cost of
 * rounding. Errors: DTypeError for other values.
 */
export function setDTypePolicy(policy: 'float32' | 'mixedFloat16'): void {
  if (policy !== 'float32' && policy !== 'mixedFloat16') throw notAPolicy('setDTypePolicy', policy);
  current = policy;
}

/** Errors: DTypeError for other values. */
export function requirePolicy(op: string, policy: unknown): asserts policy is DTypePolicy {
  if (policy !== 'mixedFloat16' && !isDType(policy)) throw notAPolicy(op, policy);
}

/** The dtype of weights. */
export function variableDType(policy: DTypePolicy): DType {
  return policy === 'mixedFloat16' ? 'float32' : policy;
}

/** `x` as a matmul or a convolution of a layer with that policy reads it. As in Keras, integers become float32. */
export function asOperand(x: Tensor, policy: DTypePolicy): Tensor {
  // The weights of a layer that isn't built are null: the op says so.
  const dtype = (x as Tensor | null)?.dtype;
  if (dtype === undefined) return x;
  const isFloat = dtype === 'float32' || dtype === 'float16';
  const floats = isFloat ? x : cast(x, 'float32');
  return policy === 'mixedFloat16' && floats.dtype === 'float32' ? cast(floats, 'float16') : floats;
}

function notAPolicy(op: string, received: unknown): DTypeError {
  return new DTypeError({
    op,
    rule: "a dtype is float32, int32, uint32 or bool; layers that multiply may have the policy 'mixedFloat16'.",
    received: `dtype: ${describe(received)}`,
    hint: suggestionFor(received, dtypes, "pass one of these names; the default is 'float32'."),
  });
}
