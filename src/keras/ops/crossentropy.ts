/** @file The crossentropies of keras.ops: one value for each element, or for each vector of classes. */
import { type CompositeOp, defineComposite } from '../../ops/define/composite.ts';
import { neg, mul } from '../../ops/elementwise/arithmetic.ts';
import { cast } from '../../ops/elementwise/cast.ts';
import { oneHot } from '../../ops/indexing/oneHot.ts';
import { logSoftmax } from '../../ops/activations/softmax.ts';
import { squeeze } from '../../ops/arrangement/expandDims.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { log } from '../../ops/elementwise/unary.ts';
import { normalizeAxis } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { crossentropyOfLogits, crossentropyOfProbabilities } from '../losses/binaryCrossentropy.ts';
import { shares } from '../losses/categoricalCrossentropy.ts';
import { composeFloats } from './composites.ts';

/** Options of crossentropies. */
export interface CrossentropyOptions {
  /** Whether `output` holds logits; probabilities otherwise. Default false. */
  fromLogits?: boolean;
}

/** Options of crossentropies of classes. */
export interface ClassCrossentropyOptions extends CrossentropyOptions {
  /** The axis of the classes. Default -1. */
  axis?: number;
}

/**
 * -target · log(p) - (1 - target) · log(1 - p), elementwise. Probabilities are clipped to [1e-7, 1 - 1e-7]. float32. Shapes:
 * those of both. Errors: ShapeError, DTypeError.
 */
export const binaryCrossentropy: CompositeOp<
  [target: Tensor, output: Tensor],
  CrossentropyOptions,
  Tensor,
  ['fromLogits']
> = /* @__PURE__ */ composeFloats({
  name: 'binaryCrossentropy',
  inputs: ['target', 'output'],
  options: { fromLogits: true },
  compose: ([target, output], { fromLogits = false }) =>
    (fromLogits ? crossentropyOfLogits : crossentropyOfProbabilities)(asFloats(target), output),
});

/**
 * Minus the sum over `axis` of target · log(p). Probabilities are divided by their sum and clipped to [1e-7, 1 - 1e-7]. float32.
 * Shapes: that of both without `axis`. Errors: ShapeError, DTypeError.
 */
export const categoricalCrossentropy: CompositeOp<
  [target: Tensor, output: Tensor],
  ClassCrossentropyOptions,
  Tensor,
  ['fromLogits', 'axis']
> = /* @__PURE__ */ composeFloats({
  name: 'categoricalCrossentropy',
  inputs: ['target', 'output'],
  options: { fromLogits: true, axis: true },
  compose: ([target, output], options) => entropyOf(asFloats(target), output, options),
});

/**
 * Minus log(p) of the class that `target` names. Probabilities as of `categoricalCrossentropy`. float32. Shapes: target is
 * int32, of the shape of output without `axis`, or with size 1 there → without `axis`. Errors: ShapeError, DTypeError.
 */
export const sparseCategoricalCrossentropy: CompositeOp<
  [target: Tensor, output: Tensor],
  ClassCrossentropyOptions,
  Tensor,
  ['fromLogits', 'axis']
> = /* @__PURE__ */ defineComposite({
  name: 'sparseCategoricalCrossentropy',
  inputs: ['target:int32', 'output'],
  options: { fromLogits: true, axis: true },
  acceptsFloat16: false,
  compose: ([target, output], options) => {
    const rank = output.shape.length;
    const axis = normalizeAxis('sparseCategoricalCrossentropy', options.axis ?? -1, rank);
    const isColumn = target.shape.length === rank && target.shape[axis] === 1;
    const classes = isColumn ? squeeze(target, { axis }) : target;
    const hot = oneHot(classes, { depth: output.shape[axis] as number, axis });
    return entropyOf(asFloats(hot), output, { ...options, axis });
  },
});

function entropyOf(target: Tensor, output: Tensor, options: ClassCrossentropyOptions): Tensor {
  const { fromLogits = false, axis = -1 } = options;
  const logarithms = fromLogits ? logSoftmax(output, { axis }) : log(shares(output, axis));
  return neg(sum(mul(target, logarithms), { axis }));
}

const asFloats = (x: Tensor): Tensor => (x.dtype === 'float32' ? x : cast(x, 'float32'));
