/** @file softmax and logSoftmax. */
import { requireDType } from '../../core/dtype.ts';
import { normalizeAxis } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import {
  softmaxGradientKernel,
  softmaxKernel,
  type SoftmaxKind,
} from '../../kernels/normalization/softmax.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { mul, neg, sub } from '../elementwise/arithmetic.ts';
import { perSoftmax } from '../define/cost.ts';
import { defineOp, type Op } from '../define/define.ts';
import { sum } from '../reductions/sum.ts';
import { exp } from '../elementwise/unary.ts';

export interface SoftmaxOptions {
  /** The axis that is normalized. Default -1. */
  axis?: number;
}

type SoftmaxOp = Op<[x: Tensor], SoftmaxOptions, Tensor<'float32'>, 'unknown', ['axis']>;
type GradientOp = Op<[dy: Tensor, y: Tensor], SoftmaxOptions, Tensor<'float32'>>;

/** The spec of x, and the axis that is normalized. */
interface LinePlan extends TensorSpec {
  readonly axis: number;
}

function planLines(op: string, { shape, dtype }: TensorSpec, { axis = -1 }: SoftmaxOptions): LinePlan {
  requireDType(op, 'x', dtype, ['float32']);
  return { shape, dtype, axis: normalizeAxis(op, axis, shape.length) };
}

function defineSoftmax(kind: SoftmaxKind, gradient: GradientOp): SoftmaxOp {
  return defineOp({
    name: kind,
    inputs: ['x'],
    options: { axis: true },
    save: { inputs: [], outputs: [0] },
    infer: ([x], options) => planLines(kind, x, options),
    forward: ([x], { axis }) => softmaxKernel(kind, x, axis),
    backward: ([dy], { outputs: [y], options }) => [gradient(dy, y, options)],
    cost: perSoftmax,
  });
}

/** The values that the derivative of a softmax gradient reads. */
interface GradientOperands {
  readonly inputs: readonly [dy: Tensor, y: Tensor];
  readonly needs: readonly [dy: boolean, y: boolean];
}

function defineGradient(
  kind: SoftmaxKind,
  backward: (
    c: Tensor,
    operands: GradientOperands,
    over: { axis: number; keepDims: true },
  ) => [Tensor | null, Tensor | null],
): GradientOp {
  const name = `${kind}Gradient` as const;
  return defineOp({
    name,
    inputs: ['dy', 'y'],
    infer: ([, y], options) => planLines(name, y, options),
    forward: ([dy, y], { axis }) => softmaxGradientKernel(kind, dy, y, axis),
    backward: ([c], saved) => backward(c, saved, { axis: saved.plan.axis, keepDims: true }),
    cost: perSoftmax,
  });
}

/** y (dy - Σ dy y): linear in dy and symmetric, so that its gradient for dy is itself. */
const softmaxGradient: GradientOp = /* @__PURE__ */ defineGradient(
  'softmax',
  (c, { inputs: [dy, y], needs }, over) => [
    needs[0] ? softmaxGradient(c, y, { axis: over.axis }) : null,
    needs[1] ? sub(mul(c, sub(dy, sum(mul(dy, y), over))), mul(dy, sum(mul(c, y), over))) : null,
  ],
);

/** dy - exp(y) Σ dy. */
const logSoftmaxGradient: GradientOp = /* @__PURE__ */ defineGradient(
  'logSoftmax',
  (c, { inputs: [dy, y], needs }, over) => {
    const weighted = mul(c, exp(y));
    return [
      needs[0] ? sub(c, sum(weighted, over)) : null,
      needs[1] ? neg(mul(weighted, sum(dy, over))) : null,
    ];
  },
);

/**
 * exp x / Σ exp x along `axis`, without overflow: the largest element is subtracted first. Shape: that of x. If the
 * largest element along the axis is infinite, the result is NaN, as in TensorFlow.
 * Errors: ShapeError for an axis that x lacks, DTypeError for integers and bools.
 */
export const softmax: SoftmaxOp = /* @__PURE__ */ defineSoftmax('softmax', softmaxGradient);

/**
 * x - log Σ exp x along `axis`: the logarithm of softmax without the loss of small values. Shape: that of x. If the
 * largest element along the axis is infinite, the result is NaN, as in TensorFlow.
 * Errors: ShapeError for an axis that x lacks, DTypeError for integers and bools.
 */
export const logSoftmax: SoftmaxOp = /* @__PURE__ */ defineSoftmax('logSoftmax', logSoftmaxGradient);
