/** @file Activations, and their names. */
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { mul } from '../ops/arithmetic.ts';
import { cast } from '../ops/cast.ts';
import { greater } from '../ops/comparison.ts';
import { softmax } from '../ops/softmax.ts';
import type { Tensor } from '../tensor/tensor.ts';

export type Activation = (x: Tensor) => Tensor;

/** `x` itself. */
export const linear: Activation = (x) => x;

const relu: Activation = (x) => mul(x, cast(greater(x, 0), 'float32'));

const byName = { linear, relu, softmax: (x: Tensor) => softmax(x) };

export type ActivationName = keyof typeof byName;
export type ActivationLike = ActivationName | Activation;

/** An activation by its name, or itself; null and left out mean linear. Errors: ValueError. */
export function activationOf(identifier: ActivationLike | null | undefined): Activation {
  if (identifier === null || identifier === undefined) return linear;
  if (typeof identifier === 'function') return identifier;
  const found = Object.hasOwn(byName, identifier) ? byName[identifier] : undefined;
  if (found) return found;
  throw new ValueError({
    op: 'activation',
    rule: `an activation is one of ${Object.keys(byName).join(', ')}, or a function of a tensor.`,
    received: describe(identifier),
    mend: "pass a name such as 'relu', or (x) => myOp(x).",
  });
}
