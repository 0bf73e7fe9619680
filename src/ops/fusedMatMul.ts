/** @file fusedMatMul: a dense layer in one kernel. */
import { requireDType } from '../core/dtype.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { epilogueCost } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import {
  type ActivationOptions,
  beforeActivation,
  biasGradient,
  checkActivation,
  checkBias,
  epilogueOf,
} from './fusedActivation.ts';
import { type MatMulOptions, multiply, planMatMul, productCost, productGradients } from './matMul.ts';

export type FusedMatMulOptions = MatMulOptions & ActivationOptions;

const op = 'fusedMatMul';

/**
 * activation(a · b + bias), without a pass over memory between the three.
 * Shapes: a and b as in matMul, bias [n] or null → as in matMul. float32; a and b may be float16.
 * `activation`: 'linear', 'relu', 'relu6', 'leakyRelu' (`negativeSlope`), 'elu' (`alpha`), 'sigmoid', 'tanh'.
 * Errors: as matMul; ShapeError for a bias of another size, ValueError for an unknown activation.
 */
export const fusedMatMul: Op<[a: Tensor, b: Tensor, bias: Tensor | null], FusedMatMulOptions, Tensor> =
  /* @__PURE__ */ defineOp<[a: Tensor, b: Tensor, bias: Tensor | null], FusedMatMulOptions>({
    name: op,
    inputs: ['a', 'b', 'bias?'],
    acceptsFloat16: true,
    infer: (specs, options) => {
      const [a, b, bias] = specs as [TensorSpec, TensorSpec, TensorSpec | null];
      requireDType(op, 'a', a.dtype, ['float32', 'float16']);
      requireDType(op, 'b', b.dtype, ['float32', 'float16']);
      const { shape, n } = planMatMul(op, a, b, options);
      checkBias(op, bias, n);
      const result: TensorSpec = { shape, dtype: 'float32' };
      checkActivation(op, result, options);
      return result;
    },
    forward: ([a, b, bias], options, { outputs: [spec] }) =>
      multiply(
        op,
        a as Tensor,
        b as Tensor,
        options,
        spec as TensorSpec,
        epilogueOf((bias as Tensor | null) ?? null, options),
      ),
    backward: ([dy], { inputs: [a, b], outputs: [y], inputSpecs, needs }, options) => {
      const [aSpec, bSpec, biasSpec] = inputSpecs as [TensorSpec, TensorSpec, TensorSpec | null];
      const dz = beforeActivation(dy as Tensor, y as Tensor, options);
      return [
        ...productGradients(a as Tensor, b as Tensor, dz, [aSpec, bSpec], needs, options),
        needs[2] && biasSpec ? biasGradient(dz, biasSpec.shape[0] as number) : null,
      ];
    },
    save: { inputs: [0, 1], outputs: [0] },
    cost: (inputs, [result], options) => ({
      flops:
        productCost(inputs[0] as TensorSpec, inputs[1] as TensorSpec, options).flops +
        epilogueCost(inputs, result, options.activation),
    }),
  });
