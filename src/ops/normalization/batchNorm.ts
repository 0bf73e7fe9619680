/** @file batchNorm (with given moments) and batchNormTrain (with the moments of the batch). */
import { requireDType } from '../../core/dtype.ts';
import { normalizeAxis } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { meanOf, momentsReduction, varianceOf } from '../../kernels/reduce/moments.ts';
import { normalizeKernel } from '../../kernels/normalization/normalize.ts';
import { kernels } from '../../kernels/loading/loadKernels.ts';
import { view } from '../../kernels/launch/output.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { add, mul, neg, sub } from '../elementwise/arithmetic.ts';
import { defineOp, type Op } from '../define/define.ts';
import {
  defaultEpsilon,
  inShape,
  normalizationGradient,
  otherAxes,
  requireEpsilon,
  requireParameters,
  shapeAlong,
} from './normalization.ts';
import { batchNormGrad } from './normalizationGrad.ts';
import { reshape } from '../arrangement/reshape.ts';
import { broadcastTo, sum } from '../reductions/sum.ts';
import { rsqrt } from '../elementwise/unary.ts';

export interface BatchNormOptions {
  /** Added to the variance. Default 1e-3, as in Keras. */
  epsilon?: number;
  /**
   * The axis of the channels; each channel has its own statistics. Negative axes count from the last. Default -1.
   */
  axis?: number;
}

/** The spec of x, and how parameters of shape [channels] broadcast over it. */
interface ChannelPlan extends TensorSpec {
  readonly channels: number;
  /** All axes but that of the channels. */
  readonly axes: readonly number[];
  /** [channels] with as many axes as x, so that it broadcasts. */
  readonly along: readonly number[];
  readonly epsilon: number;
}

function planChannels(
  op: string,
  { shape, dtype }: TensorSpec,
  { axis = -1, epsilon = defaultEpsilon }: BatchNormOptions,
  parameters: Readonly<Record<string, TensorSpec | null>>,
): ChannelPlan {
  requireDType(op, 'x', dtype, ['float32']);
  requireEpsilon(op, epsilon);
  const rank = shape.length;
  const channelAxis = normalizeAxis(op, axis, rank);
  const channels = shape[channelAxis] as number;
  requireParameters(op, [channels], parameters);
  const along = shapeAlong(channels, channelAxis, rank);
  return { shape, dtype, channels, axes: otherAxes(rank, [channelAxis]), along, epsilon };
}

/** Returns a view of [channels] along the channel axis, for kernels. */
const along = (t: Tensor, shape: readonly number[]) => view(t, { shape, dtype: t.dtype }, 'batchNorm');

/**
 * (x - mean) / √(variance + epsilon) · gamma + beta, with given moments. Shapes: that of x; mean, variance, gamma and beta are
 * [channels], and gamma and beta may be null.
 * Errors: ShapeError for an axis or parameters that don't fit, ValueError for epsilon, DTypeError for integers and bools.
 */
export const batchNorm: Op<
  [x: Tensor, mean: Tensor, variance: Tensor, gamma: Tensor | null, beta: Tensor | null],
  BatchNormOptions,
  Tensor<'float32'>
> = /* @__PURE__ */ defineOp({
  name: 'batchNorm',
  inputs: ['x', 'mean', 'variance', 'gamma?', 'beta?'],
  options: { epsilon: false, axis: false },
  save: { inputs: [0, 1, 2, 3] },
  // The gradient of x itself, all that a frozen layer passes on, doesn't read x.
  readsInputs: ([, , variance, gamma]) => [variance || gamma, variance || gamma, true, true, false],
  infer: ([x, mean, variance, gamma, beta], options) =>
    planChannels('batchNorm', x, options, { mean, variance, gamma, beta }),
  forward: ([x, mean, variance, gamma, beta], { along: shape, epsilon }) =>
    normalizeKernel('batchNorm', x, {
      mean: along(mean, shape),
      variance: along(variance, shape),
      gamma: gamma && along(gamma, shape),
      beta: beta && along(beta, shape),
      epsilon,
    }),
  backward: ([dy], { inputs: [x, mean, variance, gamma], inputSpecs, needs, plan }) => {
    const { axes, along: shape, epsilon } = plan;
    const over = { axis: axes, keepDims: true };
    const r = rsqrt(add(reshape(variance, { shape }), epsilon));
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
  [y: Tensor<'float32'>, mean: Tensor<'float32'>, variance: Tensor<'float32'>]
> = /* @__PURE__ */ defineOp({
  name: 'batchNormTrain',
  keepsFloat32: [1, 2],
  inputs: ['x', 'gamma?', 'beta?'],
  options: { epsilon: false, axis: false },
  save: { inputs: [0, 1], outputs: [1, 2] },
  infer: ([x, gamma, beta], options) => {
    const plan = planChannels('batchNormTrain', x, options, { gamma, beta });
    const moment = { shape: [plan.channels], dtype: x.dtype };
    return [plan, moment, moment];
  },
  forward: ([x, gamma, beta], [{ axes, along: shape, epsilon }, ...moments]) => {
    const reduction = momentsReduction([meanOf, varianceOf]);
    const [mean, variance] = kernels().reduceKernel('batchNormTrain', x, axes, moments, reduction);
    const y = normalizeKernel('batchNormTrain', x, {
      mean: along(mean, shape),
      variance: along(variance, shape),
      gamma: gamma && along(gamma, shape),
      beta: beta && along(beta, shape),
      epsilon,
    });
    return [y, mean, variance];
  },
  takesNull: true,
  backward: ([dy, dMean, dVariance], { inputs: [x, gamma], outputs: [, mean, variance], needs, plan }) => {
    const [{ axes, channels, along: shape, epsilon }] = plan;
    const perChannel = (t: Tensor, factor: number) =>
      reshape(mul(t, (factor * channels) / x.size), { shape });
    const [dx, dGamma, dBeta] = dy
      ? gradientsOf(dy, x, gamma, { mean, variance, axes, shape, epsilon }, needs)
      : ([null, null, null] as const);
    if (!needs[0]) return [null, dGamma, dBeta];
    // Gradient through the moments: dMean / n + 2 (x - mean) dVariance / n, with n elements per channel.
    const ofMean = dMean && broadcastTo(perChannel(dMean, 1), { shape: x.shape });
    const ofVariance = dVariance && mul(sub(x, reshape(mean, { shape })), perChannel(dVariance, 2));
    return [sumOf([dx, ofMean, ofVariance]), dGamma, dBeta];
  },
});

/** Returns the sum of the terms that aren't null. */
const sumOf = (terms: readonly (Tensor | null)[]) =>
  terms.reduce((total, term) => (total && term ? add(total, term) : (total ?? term)), null);

interface Channels {
  mean: Tensor;
  variance: Tensor;
  axes: readonly number[];
  /** [channels] with as many axes as x. */
  shape: readonly number[];
  epsilon: number;
}

/** [dx, dGamma, dBeta] of the normalized values: one op if the axes are adjacent. */
function gradientsOf(
  dy: Tensor,
  x: Tensor,
  gamma: Tensor | null,
  { mean, variance, axes, shape, epsilon }: Channels,
  needs: readonly [boolean, boolean, boolean],
): readonly [Tensor | null, Tensor | null, Tensor | null] {
  const areNeighbours = axes.every((axis, i) => axis === (axes[0] as number) + i);
  if (areNeighbours && axes.length > 0 && x.size > 0)
    return batchNormGrad(dy, x, gamma, mean, variance, { axes, epsilon });
  const along = gamma && reshape(gamma, { shape });
  const [dx, dGamma, dBeta] = normalizationGradient(
    dy,
    { x, gamma: along, axes, sharedAxes: axes, epsilon },
    needs,
  );
  const parameter = { shape: mean.shape, dtype: mean.dtype };
  return [dx, inShape(dGamma, parameter), inShape(dBeta, parameter)];
}
