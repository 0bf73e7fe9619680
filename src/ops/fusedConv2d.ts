/** @file fusedConv2d: a convolutional layer in one kernel. */
import { resultShape } from '../core/convolution.ts';
import type { TensorSpec } from '../core/spec.ts';
import { core } from '../kernels/loadCore.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type Conv2dOptions, conv2dGradients, planConv2d } from './conv2d.ts';
import { convolutionCost, epilogueCost } from './cost.ts';
import { defineOp, type Op } from './define.ts';
import {
  type ActivationOptions,
  beforeActivation,
  biasGradient,
  checkActivation,
  checkBias,
  epilogueOf,
} from './fusedActivation.ts';

export type FusedConv2dOptions = Conv2dOptions & ActivationOptions;

const op = 'fusedConv2d';

/**
 * activation(conv2d(x, kernel) + bias), without a pass over memory between the three.
 * Shapes: x and kernel as in conv2d, bias [filters] or null → as in conv2d. The bias is float32, what else as in conv2d.
 * `activation`: 'linear', 'relu', 'relu6', 'leakyRelu' (`negativeSlope`), 'elu' (`alpha`), 'sigmoid', 'tanh'.
 * Errors: as conv2d; ShapeError for a bias of another size, ValueError for an unknown activation.
 */
export const fusedConv2d: Op<[x: Tensor, kernel: Tensor, bias: Tensor | null], FusedConv2dOptions, Tensor> =
  /* @__PURE__ */ defineOp<[x: Tensor, kernel: Tensor, bias: Tensor | null], FusedConv2dOptions>({
    name: op,
    inputs: ['x', 'kernel', 'bias?'],
    acceptsFloat16: true,
    infer: (specs, options) => {
      const [x, kernel, bias] = specs as [TensorSpec, TensorSpec, TensorSpec | null];
      const geometry = planConv2d(op, x, kernel, options);
      checkBias(op, bias, geometry.outputs);
      const result: TensorSpec = { shape: resultShape(geometry), dtype: 'float32' };
      checkActivation(op, result, options);
      return result;
    },
    forward: ([x, kernel, bias], options) =>
      core().conv2dKernel(
        op,
        planConv2d(op, x as Tensor, kernel as Tensor, options),
        x as Tensor,
        kernel as Tensor,
        epilogueOf((bias as Tensor | null) ?? null, options),
      ),
    backward: ([dy], { inputs: [x, kernel], outputs: [y], inputSpecs, needs }, options) => {
      const dz = beforeActivation(dy as Tensor, y as Tensor, options);
      const bias = inputSpecs[2] as TensorSpec | null;
      return [
        ...conv2dGradients(x as Tensor, kernel as Tensor, dz, inputSpecs, needs, options),
        needs[2] && bias ? biasGradient(dz, bias.shape[0] as number) : null,
      ];
    },
    save: { inputs: [0, 1], outputs: [0] },
    cost: (inputs, [result], options) => ({
      flops: convolutionCost(result, inputs[1]).flops + epilogueCost(inputs, result, options.activation),
    }),
  });
