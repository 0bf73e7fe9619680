/** @file The activations of feed-forward layers, by name: those of Keras, and the approximations that checkpoints name. */
import { gelu, sigmoid, silu } from '../../ops/activations/activations.ts';
import { mul } from '../../ops/elementwise/arithmetic.ts';
import { gatedActivation } from '../../ops/activations/gatedActivation.ts';
import { tanh } from '../../ops/elementwise/hyperbolic.ts';
import { relu } from '../../ops/activations/rectifiers.ts';
import { square } from '../../ops/elementwise/unary.ts';
import type { Tensor } from '../../tensor/tensor.ts';

const functions = {
  relu: (x: Tensor) => relu(x),
  squaredRelu: (x: Tensor) => square(relu(x)),
  gelu: (x: Tensor) => gelu(x),
  /** By tanh, as in GPT-2. */
  geluTanh: (x: Tensor) => gelu(x, { approximate: true }),
  silu: (x: Tensor) => silu(x),
  /** x · sigmoid(1.702 x), as in CLIP. */
  quickGelu: (x: Tensor) => mul(x, sigmoid(mul(x, 1.702))),
  tanh: (x: Tensor) => tanh(x),
};

/** Names of activations of transformers. */
export type TransformerActivation = keyof typeof functions;

export const transformerActivations = Object.keys(functions) as readonly TransformerActivation[];

export function activated(x: Tensor, activation: TransformerActivation): Tensor {
  return functions[activation](x);
}

/** f(gate) · up. One launch where there is a kernel for both. */
export function gated(gate: Tensor, up: Tensor, activation: TransformerActivation): Tensor {
  if (activation === 'silu' || activation === 'gelu' || activation === 'geluTanh')
    return gatedActivation(gate, up, { activation });
  return mul(activated(gate, activation), up);
}
