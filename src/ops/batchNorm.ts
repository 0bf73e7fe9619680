/** @file batchNorm, with given moments, and batchNormTrain, with those of the batch. */
import { requireDType } from '../core/dtype.ts';
import { normalizeAxis } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import { meanOf, momentsReduction, varianceOf } from '../kernels/moments.ts';
import { normalizeKernel } from '../kernels/normalize.ts';
import { core } from '../kernels/loadCore.ts';
import { view } from '../kernels/output.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { add, mul, neg, sub } from './arithmetic.ts';
import { defineOp, type Op } from './define.ts';
import { mulAdd } from './mulAdd.ts';
import {
  defaultEpsilon,
  inShape,
  otherAxes,
  requireEpsilon,
  requireParameters,
  shapeAlong,
} from './normalization.ts';
import { reshape } from './reshape.ts';
import { sum } from './sum.ts';
import { rsqrt } from './unary.ts';

export interface BatchNormOptions {
  /** Added to the variance. Default 1e-3, as in Keras. */
  epsilon?: number;
  /** The channel axis. Default -1. */
  axis?: number;
}

/** The channel axis, all others, and how [channels] lies over x. */
function layoutOf(op: string, x: TensorSpec, { axis = -1 }: BatchNormOptions) {
  const rank = x.shape.length;
  const channelAxis = normalizeAxis(op, axis, rank);
  const channels = x.shape[channelAxis] as number;
  return { channels, axes: otherAxes(rank, [channelAxis]), shape: shapeAlong(channels, channelAxis, rank) };
}

function check(
  op: string,
  x: TensorSpec,
  options: BatchNormOptions,
  parameters: Readonly<Record<string, TensorSpec | null | undefined>>,
): number {
  requireDType(op, 'x', x.dtype, ['float32']);
  requireEpsilon(op, options.epsilon ?? defaultEpsilon);
  const { channels } = layoutOf(op, x, options);
  requireParameters(op, [channels], parameters);
  return channels;
}

/** [channels] laid along the channel axis, for kernels. */
const along = (t: Tensor, shape: readonly number[]) => view(t, { shape, dtype: t.dtype }, 'batchNorm');

/**
 * (x - mean) / √(variance + epsilon) · gamma + beta, with given moments. Shapes: that of x; mean, variance, gamma and beta are
 * [channels], and gamma and beta may be null.
 * Errors: ShapeError for an axis or parameters that don't fit, ValueError for epsilon, DTypeError for integers and bools.
 */
export const batchNorm: Op<
  [x: Tensor, mean: Tensor, variance: Tensor, gamma: Tensor | null, beta: Tensor | null],
  BatchNormOptions,
  Tensor
> = /* @__PURE__ */ defineOp<
  [x: Tensor, mean: Tensor, variance: Tensor, gamma: Tensor | null, beta: Tensor | null],
  BatchNormOptions
>({
  name: 'batchNorm',
  inputs: ['x', 'mean', 'variance', 'gamma?', 'beta?'],
  infer: ([input, mean, variance, gamma, beta], options) => {
    const x = input as TensorSpec;
    check('batchNorm', x, options, { mean, variance, gamma, beta });
    return { shape: x.shape, dtype: x.dtype };
  },
  forward: ([input, mean, variance, gamma, beta], options) => {
    const x = input as Tensor;
    const { shape } = layoutOf('batchNorm', x, options);
    return normalizeKernel('batchNorm', x, {
      mean: along(mean as Tensor, shape),
      variance: along(variance as Tensor, shape),
      gamma: gamma ? along(gamma, shape) : null,
      beta: beta ? along(beta, shape) : null,
      epsilon: options.epsilon ?? defaultEpsilon,
    });
  },
  backward: ([cotangent], { inputs, inputSpecs, needs }, options) => {
    const [x, mean, variance, gamma] = inputs as [Tensor, Tensor, Tensor, Tensor | null];
    const dy = cotangent as Tensor;
    const { axes, shape } = layoutOf('batchNorm', x, options);
    const over = { axis: axes, keepDims: true };
    const r = rsqrt(add(reshape(variance, { shape }), options.epsilon ?? defaultEpsilon));
    const scale = gamma ? mul(reshape(gamma, { shape }), r) : r;
    const dySum = needs[1] || needs[4] ? sum(dy, over) : null;
    const productSum = needs[2] || needs[3] ? sum(mul(dy, sub(x, reshape(mean, { shape }))), over) : null;
    return [
      needs[0] ? mul(dy, scale) : null,
      needs[1] && dySum ? inShape(neg(mul(dySum, scale)), inputSpecs[1]) : null,
      needs[2] && productSum
        ? inShape(mul(mul(productSum, -0.5), mul(scale, mul(r, r))), inputSpecs[2])
        : null,
      needs[3] && productSum ? inShape(mul(productSum, r), inputSpecs[3]) : null,
      needs[4] ? inShape(dySum, inputSpecs[4]) : null,
    ];
  },
  save: { inputs: [0, 1, 2, 3] },
});

/**
 * [y, mean, variance]: y = (x - mean) / √(variance + epsilon) · gamma + beta with the mean and the population variance of x
 * over all axes but `axis`. Shapes: y that of x, mean and variance [channels]; gamma and beta are [channels], and each may be
 * null. Gradients flow through all three outputs. Ioffe and Szegedy, "Batch normalization", 2015.
 * Errors: ShapeError for an axis or parameters that don't fit, ValueError for epsilon, DTypeError for integers and bools.
 */
export const batchNormTrain: Op<
  [x: Tensor, gamma: Tensor | null, beta: Tensor | null],
  BatchNormOptions,
  Tensor[]
> = /* @__PURE__ */ defineOp<
  [x: Tensor, gamma: Tensor | null, beta: Tensor | null],
  BatchNormOptions,
  Tensor[]
>({
  name: 'batchNormTrain',
  inputs: ['x', 'gamma?', 'beta?'],
  infer: ([input, gamma, beta], options) => {
    const x = input as TensorSpec;
    const moment: TensorSpec = {
      shape: [check('batchNormTrain', x, options, { gamma, beta })],
      dtype: x.dtype,
    };
    return [{ shape: x.shape, dtype: x.dtype }, moment, moment];
  },
  forward: ([input, gamma, beta], options, { outputs: [, ...specs] }) => {
    const x = input as Tensor;
    const { axes, shape } = layoutOf('batchNormTrain', x, options);
    const reduction = momentsReduction([meanOf, varianceOf]);
    const [mean, variance] = core().reduceKernel('batchNormTrain', x, axes, specs, reduction) as [
      Tensor,
      Tensor,
    ];
    const y = normalizeKernel('batchNormTrain', x, {
      mean: along(mean, shape),
      variance: along(variance, shape),
      gamma: gamma ? along(gamma, shape) : null,
      beta: beta ? along(beta, shape) : null,
      epsilon: options.epsilon ?? defaultEpsilon,
    });
    return [y, mean, variance];
  },
  // With c = x - mean, r = 1 / √(variance + epsilon) and n elements a channel:
  // dx = γ r (dy - Σ dy / n - c r² Σ(dy c) / n) + dMean / n + 2 c dVariance / n.
  backward: ([cotangent, dMean, dVariance], { inputs, outputs, inputSpecs, needs }, options) => {
    const [x, gamma] = inputs as [Tensor, Tensor | null];
    const dy = cotangent as Tensor;
    const { axes, channels, shape } = layoutOf('batchNormTrain', x, options);
    const channelwise = (t: Tensor | undefined) => reshape(t as Tensor, { shape });
    const over = { axis: axes, keepDims: true };
    const dySum = sum(dy, over);
    if (!needs[0] && !needs[1]) return [null, null, inShape(dySum, inputSpecs[2])];

    const r = rsqrt(add(channelwise(outputs[2]), options.epsilon ?? defaultEpsilon));
    const centred = sub(x, channelwise(outputs[1]));
    const productSum = sum(mul(dy, centred), over);
    const dBeta = needs[2] ? inShape(dySum, inputSpecs[2]) : null;
    const dGamma = needs[1] ? inShape(mul(productSum, r), inputSpecs[1]) : null;
    if (!needs[0]) return [null, dGamma, dBeta];

    const perElement = channels / x.size;
    const scale = gamma ? mul(channelwise(gamma), r) : r;
    const slope = sub(mul(channelwise(dVariance), 2), mul(mul(scale, mul(r, r)), productSum));
    const shift = sub(channelwise(dMean), mul(scale, dySum));
    const dx = mulAdd(dy, scale, mulAdd(centred, mul(slope, perElement), mul(shift, perElement)));
    return [dx, dGamma, dBeta];
  },
  save: { inputs: [0, 1], outputs: [1, 2] },
});
