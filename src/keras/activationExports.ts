/** @file keras.activations: Keras's activations as functions, the same ones that layers find by name. */
import type { SymbolicTensor } from '../ops/define/recorders.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type ActivationName, activationOf } from './activations.ts';

export * from './activations.ts';

/** An activation as a function, which a layer takes as its `activation`, too. Errors: DTypeError; ValueError for bad options. */
export interface ActivationFunction<O extends object = object> {
  (x: Tensor, options?: O): Tensor;
  (x: SymbolicTensor, options?: O): SymbolicTensor;
}

/* @__NO_SIDE_EFFECTS__ */
function named<O extends object = object>(name: ActivationName): ActivationFunction<O> {
  return activationOf(name) as unknown as ActivationFunction<O>;
}

/** x where it is positive, α (e^(x / α) - 1) elsewhere; α is `alpha`, 1 by default. */
export const celu = /* @__PURE__ */ named<{ alpha?: number }>('celu');
/** x where it is positive, α (e^x - 1) elsewhere; α is `alpha`, 1 by default. */
export const elu = /* @__PURE__ */ named<{ alpha?: number }>('elu');
/** e^x. */
export const exponential = /* @__PURE__ */ named('exponential');
/** x Φ(x), where Φ is the normal distribution; with `approximate`, by a hyperbolic tangent. Not approximate by default. */
export const gelu = /* @__PURE__ */ named<{ approximate?: boolean }>('gelu');
/** The first half along `axis`, times the sigmoid of the second. Default axis -1. */
export const glu = /* @__PURE__ */ named<{ axis?: number }>('glu');
/** x where it is further from 0 than `threshold`, 0.5 by default; 0 elsewhere. */
export const hardShrink = /* @__PURE__ */ named<{ threshold?: number }>('hardShrink');
/** A sigmoid of three straight lines: x / 6 + 1/2, from 0 to 1. */
export const hardSigmoid = /* @__PURE__ */ named('hardSigmoid');
/** x times its hard sigmoid. */
export const hardSilu = /* @__PURE__ */ named('hardSilu');
/** x, from -1 to 1. */
export const hardTanh = /* @__PURE__ */ named('hardTanh');
/** x where it is positive, x times `negativeSlope` elsewhere, 0.2 by default. */
export const leakyRelu = /* @__PURE__ */ named<{ negativeSlope?: number }>('leakyRelu');
/** x itself. */
export const linear = /* @__PURE__ */ named('linear');
/** The logarithm of the sigmoid. */
export const logSigmoid = /* @__PURE__ */ named('logSigmoid');
/** The logarithm of the softmax along `axis`, the last one by default. */
export const logSoftmax = /* @__PURE__ */ named<{ axis?: number }>('logSoftmax');
/** x tanh(softplus(x)). */
export const mish = /* @__PURE__ */ named('mish');
/** x where it is above `threshold`, up to `maxValue`; elsewhere `negativeSlope` times its distance from there. By default 0, none and 0. */
export const relu = /* @__PURE__ */ named<{
  negativeSlope?: number;
  maxValue?: number | null;
  threshold?: number;
}>('relu');
/** x, from 0 to 6. */
export const relu6 = /* @__PURE__ */ named('relu6');
/** An ELU with the constants of self-normalizing networks. */
export const selu = /* @__PURE__ */ named('selu');
/** 1 / (1 + e^-x). */
export const sigmoid = /* @__PURE__ */ named('sigmoid');
/** x times its sigmoid. */
export const silu = /* @__PURE__ */ named('silu');
/** x nearer to 0 by `threshold`, 0.5 by default; 0 where it is nearer than that. */
export const softShrink = /* @__PURE__ */ named<{ threshold?: number }>('softShrink');
/** e^x, divided by its sum along `axis`, the last one by default. */
export const softmax = /* @__PURE__ */ named<{ axis?: number }>('softmax');
/** ln(1 + e^x). */
export const softplus = /* @__PURE__ */ named('softplus');
/** x / (1 + |x|). */
export const softsign = /* @__PURE__ */ named('softsign');
/** The nearest probabilities, many of them 0, along `axis`, the last one by default. */
export const sparsemax = /* @__PURE__ */ named<{ axis?: number }>('sparsemax');
/** 0 up to -1, x from 1 on, a parabola in between. */
export const sparsePlus = /* @__PURE__ */ named('sparsePlus');
/** 0 up to -1, 1 from 1 on, a line in between. */
export const sparseSigmoid = /* @__PURE__ */ named('sparseSigmoid');
/** (x + √(x² + b)) / 2; b is 4 by default. */
export const squareplus = /* @__PURE__ */ named<{ b?: number }>('squareplus');
/** The hyperbolic tangent. */
export const tanh = /* @__PURE__ */ named('tanh');
/** x - tanh(x). */
export const tanhShrink = /* @__PURE__ */ named('tanhShrink');
/** x where it is above `threshold`, `defaultValue` elsewhere. */
export const threshold = /* @__PURE__ */ named<{ threshold?: number; defaultValue?: number }>('threshold');
export { hardSilu as hardSwish, silu as swish };
