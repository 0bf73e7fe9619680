/** @file Activations by name, in JavaScript's and in Keras's spelling. */
import { optionsOf } from '../core/options.ts';
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { gelu, logSigmoid, mish, sigmoid, silu, softplus, softsign } from '../ops/activations/activations.ts';
import type { FusedActivation } from '../ops/activations/fusedActivation.ts';
import { tanh } from '../ops/elementwise/hyperbolic.ts';
import { elu, hardSigmoid, hardSwish, leakyRelu, relu6, selu } from '../ops/activations/rectifiers.ts';
import { logSoftmax, softmax } from '../ops/activations/softmax.ts';
import { exp } from '../ops/elementwise/unary.ts';
import type { Tensor } from '../tensor/tensor.ts';
import * as composed from './activationFunctions.ts';
import { foldName, suggestionFor } from '../core/suggest.ts';
import type { ClassConfig } from './namedObjects.ts';
import type { RegisteredAs, Spelled } from './nameTypes.ts';
import { customObjectOf, registeredAs, registeredNameOf } from './serialization/registered.ts';

export {
  celu,
  glu,
  hardShrink,
  hardTanh,
  softShrink,
  sparsemax,
  sparsePlus,
  sparseSigmoid,
  squareplus,
  tanhShrink,
  threshold,
} from './activationFunctions.ts';

/** A function of a tensor, composed of ops. */
export type Activation = (x: Tensor) => Tensor;

/** `x` itself. */
export const linear: Activation = (x: Tensor, ...args: unknown[]) => {
  optionsOf('linear', args, {}, ['x']);
  return x;
};

/** An activation that may have options: `{ className: 'leakyRelu', config: { negativeSlope: 0.1 } }`. */
type WithOptions = (x: Tensor, options?: never) => Tensor;

const byName = {
  celu: composed.celu,
  elu: (x: Tensor, options?: { alpha?: number }) => elu(x, options),
  exponential: (x: Tensor, options?: object) => exp(x, options),
  gelu: (x: Tensor, options?: { approximate?: boolean }) => gelu(x, options),
  glu: composed.glu,
  hardShrink: composed.hardShrink,
  hardSigmoid: (x: Tensor, options?: object) => hardSigmoid(x, options),
  hardSilu: (x: Tensor, options?: object) => hardSwish(x, options),
  hardTanh: composed.hardTanh,
  leakyRelu: (x: Tensor, options?: { negativeSlope?: number }) => leakyRelu(x, options),
  linear,
  logSigmoid: (x: Tensor, options?: object) => logSigmoid(x, options),
  logSoftmax: (x: Tensor, options?: { axis?: number }) => logSoftmax(x, options),
  mish: (x: Tensor, options?: object) => mish(x, options),
  relu: composed.reluWith,
  relu6: (x: Tensor, options?: object) => relu6(x, options),
  selu: (x: Tensor, options?: object) => selu(x, options),
  sigmoid: (x: Tensor, options?: object) => sigmoid(x, options),
  silu: (x: Tensor, options?: object) => silu(x, options),
  softShrink: composed.softShrink,
  softmax: (x: Tensor, options?: { axis?: number }) => softmax(x, options),
  softplus: (x: Tensor, options?: object) => softplus(x, options),
  softsign: (x: Tensor, options?: object) => softsign(x, options),
  sparsemax: composed.sparsemax,
  sparsePlus: composed.sparsePlus,
  sparseSigmoid: composed.sparseSigmoid,
  squareplus: composed.squareplus,
  tanh: (x: Tensor, options?: object) => tanh(x, options),
  tanhShrink: composed.tanhShrink,
  threshold: composed.threshold,
} satisfies Record<string, WithOptions>;

const aliases = { hardSwish: 'hardSilu', swish: 'silu' } as const;

/** Activations that dense and convolutional ops apply before they write their result. */
const fusedNames = [
  'linear',
  'relu',
  'relu6',
  'leakyRelu',
  'elu',
  'sigmoid',
  'tanh',
] as const satisfies FusedActivation[];

/** A name of an activation, or of one that the app registered. */
export type ActivationName = Spelled<keyof typeof byName | keyof typeof aliases> | RegisteredAs<'activation'>;
/** Identifies an activation: a name, a name with options, or a function of a tensor. */
export type ActivationLike = ActivationName | Activation | ClassConfig;

/** The configurations of activations that were created with options. */
const configs = new WeakMap<Activation, ClassConfig>();

/**
 * Returns an activation by its name (`hardSigmoid`, or `hard_sigmoid` as Keras writes it), by its name and options
 * (`{ className: 'leakyRelu', config: { negativeSlope: 0.1 } }`), or itself; null and undefined mean linear. Custom functions
 * have names once they are registered. Errors: ValueError.
 */
export function activationOf(identifier: ActivationLike | string | null | undefined): Activation {
  if (identifier === null || identifier === undefined) return linear;
  if (typeof identifier === 'function') return identifier;
  if (typeof identifier === 'string') return named(identifier);
  const { className, config = {} } = identifier as Partial<ClassConfig>;
  // A layer has the class name of an activation, but options and weights of its own.
  if (typeof className !== 'string' || 'apply' in identifier) return reject(identifier);
  const base = named(className);
  if (Object.keys(config).length === 0) return base;
  const bound: Activation = (x) => base(x, config as never);
  configs.set(bound, { className: serializeActivation(base) as string, config });
  return bound;
}

/**
 * Returns the name of an activation for a configuration; `{ className, config }` where it has options. A function that isn't
 * registered is returned as it is: a layer can be created from it again, but files can't contain it.
 */
export function serializeActivation(activation: Activation | null): ActivationLike | null {
  if (activation === null) return null;
  const config = configs.get(activation);
  if (config) return config;
  const names = Object.keys(byName) as (keyof typeof byName)[];
  const found = names.find((name) => byName[name] === activation);
  return found ?? registeredNameOf(activation) ?? activation;
}

function named(name: string): WithOptions {
  const custom = customObjectOf(name);
  if (custom) return custom as Activation;
  const key = foldName(name);
  const alias = Object.entries(aliases).find(([other]) => foldName(other) === key);
  const wanted = alias ? foldName(alias[1]) : key;
  const found = Object.entries(byName).find(([known]) => foldName(known) === wanted);
  return found?.[1] ?? (registeredAs(name) as Activation | null) ?? reject(name);
}

function reject(identifier: unknown): never {
  throw new ValueError({
    op: 'activation',
    rule: `an activation is one of ${Object.keys(byName).join(', ')}, or a function of a tensor.`,
    received: describe(identifier),
    hint: suggestionFor(
      identifier,
      Object.keys({ ...byName, ...aliases }),
      "pass a name such as 'relu', or (x) => myOp(x).",
    ),
  });
}

/** An activation as a dense or convolutional layer computes it: the part that its op applies, and the rest. */
export interface SplitActivation {
  readonly fused: FusedActivation;
  readonly after: Activation;
}

/**
 * Returns the part of an activation that a dense or convolutional op applies itself, and the rest. Errors: ValueError for a
 * field that holds no function.
 */
export function splitActivation(activation: Activation): SplitActivation {
  if (typeof activation !== 'function') reject(activation);
  const fused = fusedNames.find((name) => byName[name] === activation);
  return fused ? { fused, after: linear } : { fused: 'linear', after: activation };
}
