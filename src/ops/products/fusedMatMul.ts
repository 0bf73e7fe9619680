/** @file fusedMatMul: a dense layer in one kernel. */
import { requireDType } from '../../core/dtype.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { epilogueCost } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import {
  type ActivationOptions,
  activationOptionNames,
  beforeActivation,
  biasGradient,
  checkBias,
  epilogueOf,
  planActivation,
  readsOtherOperand,
} from '../activations/fusedActivation.ts';
import { type MatMulOptions, multiply, planMatMul, matMulCost, matMulGradients } from './matMul.ts';

export type FusedMatMulOptions = MatMulOptions & ActivationOptions;

const op = 'fusedMatMul';

/**
 * activation(a · b + bias), without a pass over memory between the three.
 * Shapes: a and b as in matMul, bias [n] or null → as in matMul. float32; a and b may be float16.
 * `activation`: 'linear', 'relu', 'relu6', 'leakyRelu' (`negativeSlope`), 'elu' (`alpha`), 'sigmoid', 'tanh'.
 * Errors: as matMul; ShapeError for a bias of another size, ValueError for an unknown activation.
 */
export const fusedMatMul: Op<
  [a: Tensor, b: Tensor, bias: Tensor | null],
  FusedMatMulOptions,
  Tensor<'float32'>
> = /* @__PURE__ */ defineOp({
  name: op,
  inputs: ['a', 'b', 'bias?'],
  options: { transposeA: false, transposeB: false, ...activationOptionNames },
  acceptsFloat16: [0, 1],
  save: { inputs: [0, 1], outputs: [0] },
  readsInputs: readsOtherOperand,
  infer: ([a, b, bias], options) => {
    requireDType(op, 'a', a.dtype, ['float32', 'float16']);
    requireDType(op, 'b', b.dtype, ['float32', 'float16']);
    const plan = planMatMul(op, a, b, options);
    checkBias(op, bias, plan.n);
    return { activation: planActivation(op, plan, options), ...plan };
  },
  readsOutputs: (_, { activation }) => [activation !== null],
  forward: ([a, b, bias], plan) => multiply(op, a, b, plan, epilogueOf(bias, plan.activation)),
  backward: ([dy], { inputs: [a, b], outputs: [y], inputSpecs, needs, plan }) => {
    const dz = beforeActivation(dy, y, plan.activation);
    const [, , bias] = inputSpecs;
    return [
      ...matMulGradients({ a, b }, dz, inputSpecs, needs, plan),
      needs[2] && bias ? biasGradient(dz, bias.shape[0] as number) : null,
    ];
  },
  cost: ([, , bias], [result], plan) => ({
    flops: matMulCost(plan).flops + epilogueCost(bias, result, plan.activation !== null),
  }),
});
