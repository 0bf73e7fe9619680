/** @file groupNorm */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError } from '../../core/errors.ts';
import { normalizeAxis, requireInteger, type Shape, sizeOf } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { normalizeGroups } from '../../kernels/normalization/normalize.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineOp, type Op } from '../define/define.ts';
import {
  defaultEpsilon,
  inShape,
  normalizationGradient,
  requireEpsilon,
  requireParameters,
} from './normalization.ts';
import { reshape } from '../arrangement/reshape.ts';

export interface GroupNormOptions {
  /** Number of groups of channels; must divide the number of channels. Default 32, as in Keras. */
  groups?: number;
  /**
   * The axis of the channels, which is divided into groups. Negative axes count from the last. Default -1.
   */
  axis?: number;
  /** Added to the variance. Default 1e-3, as in Keras. */
  epsilon?: number;
}

/** x as [batch, before, groups, channels per group, behind]: axes before and behind the channels are merged. */
interface GroupView {
  shape: readonly [number, number, number, number, number];
  channels: number;
}

const groupAxes = [1, 3, 4];
const sharedAxes = [0, 1, 4];

function groupView(x: TensorSpec, { groups = 32, axis = -1 }: GroupNormOptions): GroupView {
  const rank = x.shape.length;
  const channelAxis = normalizeAxis('groupNorm', axis, rank);
  if (channelAxis === 0) {
    throw new ShapeError({
      op: 'groupNorm',
      rule: 'the first axis is the batch, and the channels are another.',
      received: `axis: ${axis} of ${formatSpec(x)}`,
      hint: 'give x a batch axis in front, or name the axis of its channels.',
    });
  }
  requireInteger('groupNorm', 'groups', groups, 1);
  const channels = x.shape[channelAxis] as number;
  if (channels % groups !== 0) {
    throw new ShapeError({
      op: 'groupNorm',
      rule: 'groups divide the channels evenly.',
      received: `${groups} groups of ${channels} channels, axis ${channelAxis} of ${formatSpec(x)}`,
      hint: 'choose a divisor of the number of channels.',
    });
  }
  const before = sizeOf(x.shape.slice(1, channelAxis));
  const behind = sizeOf(x.shape.slice(channelAxis + 1));
  return { shape: [x.shape[0] as number, before, groups, channels / groups, behind], channels };
}

/** Returns the shape of a parameter [channels] that broadcasts over the view. */
function parameterShape([, , groups, channels]: GroupView['shape']): Shape {
  return [1, 1, groups, channels, 1];
}

/**
 * (x - mean) / √(variance + epsilon) · gamma + beta, with the mean and the population variance of each sample over a group of
 * channels and all other axes. Shapes: that of x, its first axis the batch; gamma and beta are [channels], and each may be
 * null. Wu and He, "Group normalization", 2018.
 * Errors: ShapeError for an axis, groups or parameters that don't fit, ValueError for options, DTypeError for integers and
 * bools.
 */
export const groupNorm: Op<
  [x: Tensor, gamma: Tensor | null, beta: Tensor | null],
  GroupNormOptions,
  Tensor<'float32'>
> = /* @__PURE__ */ defineOp({
  name: 'groupNorm',
  inputs: ['x', 'gamma?', 'beta?'],
  options: { groups: false, axis: false, epsilon: false },
  save: { inputs: [0, 1] },
  infer: ([x, gamma, beta], options) => {
    const { epsilon = defaultEpsilon } = options;
    requireDType('groupNorm', 'x', x.dtype, ['float32']);
    requireEpsilon('groupNorm', epsilon);
    const { shape: grouped, channels } = groupView(x, options);
    requireParameters('groupNorm', [channels], { gamma, beta });
    return { shape: x.shape, dtype: x.dtype, grouped, epsilon };
  },
  forward: ([x, gamma, beta], { grouped, epsilon }) =>
    normalizeGroups(x, gamma, beta, {
      shape: grouped,
      parameterShape: parameterShape(grouped),
      axes: groupAxes,
      epsilon,
    }),
  backward: ([dy], { inputs: [x, gamma], inputSpecs, needs, plan: { grouped: shape, epsilon } }) => {
    const [dx, dGamma, dBeta] = normalizationGradient(
      reshape(dy, { shape }),
      {
        x: reshape(x, { shape }),
        gamma: gamma && reshape(gamma, { shape: parameterShape(shape) }),
        axes: groupAxes,
        sharedAxes,
        epsilon,
      },
      needs,
    );
    return [inShape(dx, x), inShape(dGamma, inputSpecs[1]), inShape(dBeta, inputSpecs[2])];
  },
});
