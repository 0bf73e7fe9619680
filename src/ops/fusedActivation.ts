/**
 * @file Activations that dense and convolutional ops apply before they write their result. Only those whose gradient
 * can be told from their output: the sum before the activation is never written.
 */
import { requireDType } from '../core/dtype.ts';
import { ShapeError } from '../core/errors.ts';
import { requireOneOf } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import type { Epilogue } from '../kernels/partialSums.ts';
import * as math from '../kernels/math.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { sigmoid } from './activations.ts';
import type { OpDefinition } from './define.ts';
import { tanh } from './hyperbolic.ts';
import { elu, leakyRelu, relu, relu6 } from './rectifiers.ts';
import { reshape } from './reshape.ts';
import { sum } from './sum.ts';

export type FusedActivation = 'linear' | 'relu' | 'relu6' | 'leakyRelu' | 'elu' | 'sigmoid' | 'tanh';

export interface ActivationOptions {
  /** Applied to the result. Default 'linear'. */
  activation?: FusedActivation;
  /** Of leakyRelu. Default 0.2. */
  negativeSlope?: number;
  /** Of elu. Default 1. */
  alpha?: number;
}

interface Entry {
  /** WGSL expression of `value`; `params.alpha` is what `scalar` gives. */
  expression(): string;
  scalar?(options: ActivationOptions): number;
  /** The op that it stands for: it checks the options, and has the gradient. */
  op: { readonly definition: unknown };
}

const table: Record<Exclude<FusedActivation, 'linear'>, Entry> = {
  relu: { expression: () => math.relu('value'), op: relu },
  relu6: { expression: () => math.relu6('value'), op: relu6 },
  leakyRelu: {
    expression: () => 'select(params.alpha * value, value, value > 0.0)',
    scalar: ({ negativeSlope = 0.2 }) => negativeSlope,
    op: leakyRelu,
  },
  elu: { expression: () => math.elu('value', 'params.alpha'), scalar: ({ alpha = 1 }) => alpha, op: elu },
  sigmoid: { expression: () => math.sigmoid('value'), op: sigmoid },
  tanh: { expression: () => math.preciseTanh('value'), op: tanh },
};

const names = ['linear', ...Object.keys(table)] as FusedActivation[];

function entryOf({ activation = 'linear' }: ActivationOptions): Entry | null {
  return activation === 'linear' ? null : table[activation];
}

const definitionOf = ({ op }: Entry) => op.definition as OpDefinition;

/** Errors: ValueError for an unknown activation or its options. */
export function checkActivation(op: string, result: TensorSpec, options: ActivationOptions): void {
  requireOneOf(op, 'activation', options.activation ?? 'linear', names);
  const entry = entryOf(options);
  if (entry) definitionOf(entry).infer([result], options);
}

/** Errors: ShapeError where `bias` isn't a vector of `columns` numbers. */
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

/** What the kernel does before it writes. */
export function epilogueOf(bias: Tensor | null, options: ActivationOptions): Epilogue {
  const entry = entryOf(options);
  return {
    bias,
    activation: entry?.expression() ?? 'value',
    alpha: entry?.scalar?.(options) ?? 0,
  };
}

/** The cotangent of the sum before the activation, from that of the result `y`. */
export function beforeActivation(dy: Tensor, y: Tensor, options: ActivationOptions): Tensor {
  const entry = entryOf(options);
  if (!entry) return dy;
  const backward = definitionOf(entry).backward as NonNullable<OpDefinition['backward']>;
  const saved = { inputs: [], outputs: [y], inputSpecs: [y], outputSpecs: [y], needs: [true] };
  return backward([dy], saved, options)[0] as Tensor;
}

/** The gradient of a bias: the sum over all but the channels. */
export function biasGradient(dz: Tensor, columns: number): Tensor {
  return sum(reshape(dz, { shape: [-1, columns] }), { axis: 0 });
}
