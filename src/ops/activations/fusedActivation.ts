/**
 * @file Activations that dense and convolutional ops apply before they write their result. Only those whose gradient
 * can be computed from the output, since the sum before the activation is never written.
 */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import type { OptionNames } from '../../core/options.ts';
import { requireOneOf } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import type { Epilogue } from '../../kernels/launch/epilogue.ts';
import * as math from '../../kernels/elementwise/math.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { sigmoid, sigmoidDerivative } from './activations.ts';
import type { Derivative } from '../elementwise/derivative.ts';
import type { UnaryOp } from '../elementwise/elementwise.ts';
import { tanh, tanhDerivative } from '../elementwise/hyperbolic.ts';
import {
  elu,
  eluDerivative,
  leakyRelu,
  leakyReluDerivative,
  relu,
  relu6,
  relu6Derivative,
  reluDerivative,
} from './rectifiers.ts';
import { reshape } from '../arrangement/reshape.ts';
import { sum } from '../reductions/sum.ts';

/** Activations that matmuls and convolutions apply before they write their results. */
export type FusedActivation = 'linear' | 'relu' | 'relu6' | 'leakyRelu' | 'elu' | 'sigmoid' | 'tanh';

/** An activation that an op applies before it writes its result, with its parameters. */
export interface ActivationOptions {
  /** Applied to the result. Default 'linear'. */
  activation?: FusedActivation;
  /** The factor of negative values; for 'leakyRelu' only. Default 0.2. */
  negativeSlope?: number;
  /** The limit of very negative values, negated; for 'elu' only. Default 1. */
  alpha?: number;
}

/** For the `options` of definitions. */
export const activationOptionNames: OptionNames<ActivationOptions, never> = {
  activation: false,
  negativeSlope: false,
  alpha: false,
};

/** A fused activation. */
interface Activation {
  /** WGSL expression of `value`; `params.alpha` is the result of `scalar`. */
  expression(): string;
  scalar?(options: ActivationOptions): number;
  /** The equivalent op, which checks the options. */
  op: UnaryOp<ActivationOptions>;
  /** The gradient of that op, from its output. */
  derivative: Derivative<ActivationOptions>;
}

const table: Record<Exclude<FusedActivation, 'linear'>, Activation> = {
  relu: { expression: () => math.relu('value'), op: relu, derivative: reluDerivative },
  relu6: { expression: () => math.relu6('value'), op: relu6, derivative: relu6Derivative },
  leakyRelu: {
    expression: () => 'select(params.alpha * value, value, value > 0.0)',
    scalar: ({ negativeSlope = 0.2 }) => negativeSlope,
    op: leakyRelu,
    derivative: leakyReluDerivative,
  },
  elu: {
    expression: () => math.elu('value', 'params.alpha'),
    scalar: ({ alpha = 1 }) => alpha,
    op: elu,
    derivative: eluDerivative,
  },
  sigmoid: { expression: () => math.sigmoid('value'), op: sigmoid, derivative: sigmoidDerivative },
  tanh: { expression: () => math.preciseTanh('value'), op: tanh, derivative: tanhDerivative },
};

const names = ['linear', ...Object.keys(table)] as FusedActivation[];

/** The activation of one call, with its options; null if there is none. */
export type ActivationPlan = { readonly entry: Activation; readonly options: ActivationOptions } | null;

/** Errors: ValueError for an unknown activation or its options. */
export function planActivation(op: string, result: TensorSpec, options: ActivationOptions): ActivationPlan {
  const { activation = 'linear' } = options;
  requireOneOf(op, 'activation', activation, names);
  if (activation === 'linear') return null;
  const entry = table[activation];
  entry.op.definition.infer([result], options);
  return { entry, options };
}

/** Errors: ShapeError if `bias` isn't a vector of `columns` numbers. */
export function checkBias(op: string, bias: TensorSpec | null, columns: number): void {
  if (!bias) return;
  requireDType(op, 'bias', bias.dtype, ['float32']);
  if (bias.shape.length === 1 && bias.shape[0] === columns) return;
  throw new ShapeError({
    op,
    rule: '`bias` is a vector of one value for each output channel.',
    received: `bias ${formatSpec(bias)} for ${columns} channels`,
    hint: `reshape it to [${columns}], or pass null.`,
  });
}

/** The epilogue of the kernel. */
export function epilogueOf(bias: Tensor | null, activation: ActivationPlan): Epilogue {
  if (!activation) return { bias, activation: 'value', alpha: 0 };
  const { entry, options } = activation;
  return { bias, activation: entry.expression(), alpha: entry.scalar?.(options) ?? 0 };
}

/** The cotangent of the sum before the activation, from that of the result `y`. */
export function beforeActivation(dy: Tensor, y: Tensor, activation: ActivationPlan): Tensor {
  return activation ? activation.entry.derivative(dy, y, activation.options) : dy;
}

/** `readsInputs` of an op of two operands and a bias: the gradient of each operand reads the other. */
export const readsOtherOperand = ([a, b]: readonly [boolean, boolean, boolean]) => [b, a, false] as const;

/** The gradient of a bias: the sum over all axes except the channels. */
export function biasGradient(dz: Tensor, columns: number): Tensor {
  return sum(reshape(dz, { shape: [-1, columns] }), { axis: 0 });
}
