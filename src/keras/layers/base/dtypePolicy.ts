/** @file Dtype policies: the dtypes in which layers store weights and multiply. */
import { type DType, dtypes, isDType, isFloating } from '../../../core/dtype.ts';
import { DTypeError } from '../../../core/errors.ts';
import { leavesOf, mapNest, type Nest } from '../../../core/nest.ts';
import { describe } from '../../../core/shape.ts';
import { suggestionFor } from '../../../core/suggest.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { enableFloat16, roundingSums } from '../../../ops/elementwise/enableFloat16.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { maskOf, setMask } from '../../masks.ts';

/** A dtype of weights, or 'mixedFloat16': float32 weights, and float16 for what layers take and return. */
export type DTypePolicy = DType | 'mixedFloat16';

const mixed = 'mixedFloat16';

let current: DTypePolicy = 'float32';

/** The policy of layers that don't set `dtype`. Initially 'float32'. */
export function getDTypePolicy(): DTypePolicy {
  return current;
}

/**
 * Sets the policy of layers that are created from now on without a `dtype`: 'float32', or 'mixedFloat16', Keras's mixed_float16
 * (mixed precision).
 *
 * With 'mixedFloat16', floats that a layer takes and returns are float16, and so is what a tape keeps of them: activations take half
 * the memory. `dense`, `conv1d` and `conv2d` also round their kernels to float16, and products their results. Weights, sums inside
 * an op, statistics and gradients stay float32, so that gradients don't vanish without a loss scale; losses and metrics read
 * predictions as float32. A layer with `dtype: 'float32'` returns float32. It needs no feature of the adapter: rounding is integer arithmetic. It takes less memory, and is
 * faster only where the device multiplies float16 in subgroup matrices (`init({ subgroupMatrices: true })`). Errors: DTypeError for
 * other values.
 */
export function setDTypePolicy(policy: 'float32' | 'mixedFloat16'): void {
  if (!floatsOf(policy)) throw notAPolicy('setDTypePolicy', policy, ['float32', mixed]);
  usePolicy(policy);
  current = policy;
}

/** Errors: DTypeError for other values. */
export function requirePolicy(op: string, policy: unknown): asserts policy is DTypePolicy {
  if (policy !== 'mixedFloat16' && !isDType(policy)) throw notAPolicy(op, policy, [...dtypes, mixed]);
}

/** Makes the ops of layers with that policy accept what it gives them. */
export function usePolicy(policy: DTypePolicy): void {
  if (policy === 'mixedFloat16') enableFloat16();
}

/** The policy by which a call casts what it takes and returns; null if it casts nothing. */
export type CastPolicy = DTypePolicy | null;

/** The dtype of floats in a layer with that policy; null if it casts none. */
function floatsOf(policy: CastPolicy): 'float16' | 'float32' | null {
  if (policy === 'mixedFloat16') return 'float16';
  return policy === 'float32' ? policy : null;
}

/** `inputs` with the floats that a layer with that policy computes with, as Keras's autocast; `integers` too, if it needs floats. */
export function autocast(inputs: Nest<Tensor>, policy: CastPolicy, integers?: boolean): Nest<Tensor> {
  const dtype = floatsOf(policy);
  return dtype ? castFloats(inputs, dtype, integers) : inputs;
}

/** `outputs` as a layer with that policy returns them. */
export function rounded(outputs: Nest<Tensor>, policy: CastPolicy): Nest<Tensor> {
  return policy === 'mixedFloat16' ? castFloats(outputs, 'float16') : outputs;
}

/** Runs the call of a layer with that policy: products round their results to float16, too. Those of a model are its layers'. */
export function withPolicy<R>(policy: CastPolicy, call: () => R): R {
  return policy === null ? call() : roundingSums(policy === 'mixedFloat16', call);
}

/** Predictions as losses and metrics read them. */
export function widened(predictions: Nest<Tensor>): Nest<Tensor> {
  return castFloats(predictions, 'float32');
}

/** `tensors` with floats of the other size, and with integers and booleans if `all`, cast to `dtype`, with their masks. */
function castFloats(tensors: Nest<Tensor>, dtype: 'float16' | 'float32', all?: boolean): Nest<Tensor> {
  // An optional input may be null.
  const isOther = (x: Tensor | null) => x && x.dtype !== dtype && (all || isFloating(x.dtype));
  if (!leavesOf(tensors).some(isOther)) return tensors;
  return mapNest(tensors, (x) => (isOther(x) ? setMask(cast(x, dtype), maskOf(x)) : x));
}

/** The dtype of what a layer with that policy returns, from that of what it computes. */
export function resultDType(dtype: DType, policy: CastPolicy): DType {
  return (isFloating(dtype) && floatsOf(policy)) || dtype;
}

/** The dtype of the floats that a layer computes with: Keras's compute dtype. */
export function computeDTypeOf({ dtype, dtypePolicy }: { dtype: DType; dtypePolicy: DTypePolicy }): DType {
  return resultDType(dtype, dtypePolicy);
}

/** The dtype of weights. */
export function variableDType(policy: DTypePolicy): DType {
  return policy === 'mixedFloat16' ? 'float32' : policy;
}

/** `x` as a matmul or a convolution of a layer with that policy reads it. As in Keras, integers become float32. */
export function asOperand(x: Tensor, policy: DTypePolicy): Tensor {
  // The weights of a layer that isn't built are null: the op says so.
  const dtype = (x as Tensor | null)?.dtype;
  const wanted = floatsOf(policy) ?? 'float32';
  return !dtype || dtype === 'float16' || dtype === wanted ? x : cast(x, wanted);
}

function notAPolicy(op: string, received: unknown, names: readonly string[]): DTypeError {
  return new DTypeError({
    op,
    rule: `a dtype policy is ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`,
    received: `dtype: ${describe(received)}`,
    hint: suggestionFor(received, names, "pass one of these names; the default is 'float32'."),
  });
}
