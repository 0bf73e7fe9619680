/** @file softmax and logSoftmax. */
import { requireDType } from '../core/dtype.ts';
import { normalizeAxis } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { softmaxGradientKernel, softmaxKernel, type SoftmaxKind } from '../kernels/softmax.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { mul, neg, sub } from './arithmetic.ts';
import { perSoftmax } from './cost.ts';
import { defineOp, type Op, type Saved } from './define.ts';
import { sum } from './sum.ts';
import { exp } from './unary.ts';

export interface SoftmaxOptions {
  /** The axis that is normalised. Default -1. */
  axis?: number;
}

type SoftmaxOp = Op<[x: Tensor], SoftmaxOptions, Tensor>;
type GradientOp = Op<[dy: Tensor, y: Tensor], SoftmaxOptions, Tensor>;

function inferLine(op: string, { shape, dtype }: TensorSpec, { axis = -1 }: SoftmaxOptions): TensorSpec {
  requireDType(op, 'x', dtype, ['float32']);
  normalizeAxis(op, axis, shape.length);
  return { shape, dtype };
}

function defineSoftmax(kind: SoftmaxKind, gradient: GradientOp): SoftmaxOp {
  return defineOp<[x: Tensor], SoftmaxOptions>({
    name: kind,
    inputs: ['x'],
    infer: ([x], options) => inferLine(kind, x as TensorSpec, options),
    forward: ([input], { axis = -1 }) => {
      const x = input as Tensor;
      return softmaxKernel(kind, x, normalizeAxis(kind, axis, x.rank));
    },
    backward: ([dy], { outputs: [y] }, options) => [gradient(dy as Tensor, y as Tensor, options)],
    save: { inputs: [], outputs: [0] },
    cost: perSoftmax,
  });
}

function defineGradient(
  kind: SoftmaxKind,
  backward: (c: Tensor, saved: Saved, over: { axis: number; keepDims: true }) => (Tensor | null)[],
): GradientOp {
  const name = `${kind}Gradient`;
  return defineOp<[dy: Tensor, y: Tensor], SoftmaxOptions>({
    name,
    inputs: ['dy', 'y'],
    infer: ([_, y], options) => inferLine(name, y as TensorSpec, options),
    forward: ([dy, output], { axis = -1 }) => {
      const y = output as Tensor;
      return softmaxGradientKernel(kind, dy as Tensor, y, normalizeAxis(name, axis, y.rank));
    },
    backward: ([c], saved, { axis = -1 }) => backward(c as Tensor, saved, { axis, keepDims: true }),
    cost: perSoftmax,
  });
}

/** y (dy - Σ dy y): linear in dy and symmetric, so that its gradient for dy is itself. */
const softmaxGradient: GradientOp = /* @__PURE__ */ defineGradient(
  'softmax',
  (c, { inputs, needs }, over) => {
    const [dy, y] = inputs as [Tensor, Tensor];
    return [
      needs[0] ? softmaxGradient(c, y, { axis: over.axis }) : null,
      needs[1] ? sub(mul(c, sub(dy, sum(mul(dy, y), over))), mul(dy, sum(mul(c, y), over))) : null,
    ];
  },
);

/** dy - exp(y) Σ dy. */
const logSoftmaxGradient: GradientOp = /* @__PURE__ */ defineGradient(
  'logSoftmax',
  (c, { inputs, needs }, over) => {
    const [dy, y] = inputs as [Tensor, Tensor];
    const weighted = mul(c, exp(y));
    return [
      needs[0] ? sub(c, sum(weighted, over)) : null,
      needs[1] ? neg(mul(weighted, sum(dy, over))) : null,
    ];
  },
);

/**
 * exp x / Σ exp x along `axis`, for values of any size: the largest is taken out first. Shape: that of x. A line whose
 * largest element is infinite gives NaN, as in TensorFlow.
 * Errors: ShapeError for an axis that x lacks, DTypeError for integers and bools.
 */
export const softmax: SoftmaxOp = /* @__PURE__ */ defineSoftmax('softmax', softmaxGradient);

/**
 * x - log Σ exp x along `axis`: the logarithm of softmax without the loss of small values. Shape: that of x. A line whose
 * largest element is infinite gives NaN, as in TensorFlow.
 * Errors: ShapeError for an axis that x lacks, DTypeError for integers and bools.
 */
export const logSoftmax: SoftmaxOp = /* @__PURE__ */ defineSoftmax('logSoftmax', logSoftmaxGradient);
