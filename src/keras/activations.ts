/** @file Activations by name, and as Keras writes the names. */
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { gelu, logSigmoid, mish, sigmoid, silu, softplus, softsign } from '../ops/activations.ts';
import type { FusedActivation } from '../ops/fusedActivation.ts';
import { tanh } from '../ops/hyperbolic.ts';
import { elu, hardSigmoid, hardSwish, leakyRelu, relu, relu6, selu } from '../ops/rectifiers.ts';
import { logSoftmax, softmax } from '../ops/softmax.ts';
import { exp } from '../ops/unary.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { snakeCase } from './names.ts';

/** A function of a tensor, made of ops. */
export type Activation = (x: Tensor) => Tensor;

/** `x` itself. */
export const linear: Activation = (x) => x;

const byName = {
  elu: (x: Tensor) => elu(x),
  exponential: (x: Tensor) => exp(x),
  gelu: (x: Tensor) => gelu(x),
  hardSigmoid: (x: Tensor) => hardSigmoid(x),
  hardSwish: (x: Tensor) => hardSwish(x),
  leakyRelu: (x: Tensor) => leakyRelu(x),
  linear,
  logSigmoid: (x: Tensor) => logSigmoid(x),
  logSoftmax: (x: Tensor) => logSoftmax(x),
  mish: (x: Tensor) => mish(x),
  relu: (x: Tensor) => relu(x),
  relu6: (x: Tensor) => relu6(x),
  selu: (x: Tensor) => selu(x),
  sigmoid: (x: Tensor) => sigmoid(x),
  silu: (x: Tensor) => silu(x),
  softmax: (x: Tensor) => softmax(x),
  softplus: (x: Tensor) => softplus(x),
  softsign: (x: Tensor) => softsign(x),
  swish: (x: Tensor) => silu(x),
  tanh: (x: Tensor) => tanh(x),
};

/** Those that dense and convolutional ops apply before they write their result. */
const fusedNames = [
  'linear',
  'relu',
  'relu6',
  'leakyRelu',
  'elu',
  'sigmoid',
  'tanh',
] as const satisfies FusedActivation[];

export type ActivationName = keyof typeof byName;
export type ActivationLike = ActivationName | Activation;

/**
 * An activation by its name (`hardSigmoid`, or `hard_sigmoid` as Keras writes it), or itself; null and left out mean
 * linear. Errors: ValueError.
 */
export function activationOf(identifier: ActivationLike | null | undefined): Activation {
  if (identifier === null || identifier === undefined) return linear;
  if (typeof identifier === 'function') return identifier;
  const wanted = typeof identifier === 'string' ? snakeCase(identifier) : null;
  const found = Object.entries(byName).find(([name]) => snakeCase(name) === wanted);
  if (found) return found[1];
  throw new ValueError({
    op: 'activation',
    rule: `an activation is one of ${Object.keys(byName).join(', ')}, or a function of a tensor.`,
    received: describe(identifier),
    mend: "pass a name such as 'relu', or (x) => myOp(x).",
  });
}

/** An activation as a dense or convolutional layer computes it: what its op applies, and what is left for after it. */
export interface SplitActivation {
  readonly fused: FusedActivation;
  readonly after: Activation;
}

export function splitActivation(activation: Activation): SplitActivation {
  const fused = fusedNames.find((name) => byName[name] === activation);
  return fused ? { fused, after: linear } : { fused: 'linear', after: activation };
}
