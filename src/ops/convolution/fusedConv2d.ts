/** @file fusedConv2d: a convolutional layer in one kernel. */
import type { TensorSpec } from '../../core/spec.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Conv2dOptions, conv2dFamily, planConv2d } from './conv2d.ts';
import { convolutionGradients, convolutionOptionNames, type ConvolutionPositions } from './convolution.ts';
import { convolutionCost, epilogueCost } from '../define/cost.ts';
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

export type FusedConv2dOptions = Conv2dOptions & ActivationOptions;

const op = 'fusedConv2d';

/**
 * activation(conv2d(x, kernel) + bias), without a pass over memory between the three.
 * Shapes: x and kernel as in conv2d, bias [filters] or null → as in conv2d. The bias is float32; other dtypes as in conv2d.
 * `activation`: 'linear', 'relu', 'relu6', 'leakyRelu' (`negativeSlope`), 'elu' (`alpha`), 'sigmoid', 'tanh'.
 * Errors: as conv2d; ShapeError for a bias of another size, ValueError for an unknown activation.
 */
export const fusedConv2d: Op<
  [x: Tensor, kernel: Tensor, bias: Tensor | null],
  FusedConv2dOptions,
  Tensor<'float32'>,
  'unknown',
  ConvolutionPositions
> = /* @__PURE__ */ defineOp({
  name: op,
  inputs: ['x', 'kernel', 'bias?'],
  options: { ...convolutionOptionNames, ...activationOptionNames },
  acceptsFloat16: [0, 1],
  save: { inputs: [0, 1], outputs: [0] },
  readsInputs: readsOtherOperand,
  infer: ([x, kernel, bias], options) => {
    const { geometry, result } = planConv2d(op, x, kernel, options);
    checkBias(op, bias, geometry.outputs);
    const spec: TensorSpec = { shape: result, dtype: 'float32' };
    return { geometry, activation: planActivation(op, spec, options), ...spec };
  },
  readsOutputs: (_, { activation }) => [activation !== null],
  forward: ([x, kernel, bias], { geometry, activation }) =>
    kernels().conv2dKernel(op, geometry, x, kernel, epilogueOf(bias, activation)),
  backward: ([dy], { inputs: [x, kernel], outputs: [y], inputSpecs, needs, plan, options }) => {
    const dz = beforeActivation(dy, y, plan.activation);
    const [, , bias] = inputSpecs;
    return [
      ...convolutionGradients(conv2dFamily, dz, { inputs: [x, kernel], inputSpecs, needs, options }),
      needs[2] && bias ? biasGradient(dz, bias.shape[0] as number) : null,
    ];
  },
  cost: ([, kernel, bias], [result], { activation }) => ({
    flops: convolutionCost(result, kernel).flops + epilogueCost(bias, result, activation !== null),
  }),
});
