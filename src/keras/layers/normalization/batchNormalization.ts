/** @file BatchNormalization: normalizes channels to mean 0 and variance 1, by the moments of the batch or by moving averages. */
import { ScaledNormalization, type ScaledNormalizationOptions, scaleTable } from './baseNormalization.ts';
import type { DType } from '../../../core/dtype.ts';
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, normalizeAxis, type OpenShape, type Shape } from '../../../core/shape.ts';
import { formatSpec } from '../../../core/spec.ts';
import { add, div, mul, sub } from '../../../ops/elementwise/arithmetic.ts';
import { batchNorm, batchNormTrain } from '../../../ops/normalization/batchNorm.ts';
import { cast } from '../../../ops/elementwise/cast.ts';
import { expandDims } from '../../../ops/arrangement/expandDims.ts';
import { isSymbolic, unrecorded } from '../../../ops/define/recorders.ts';
import { relu } from '../../../ops/activations/rectifiers.ts';
import { reshape } from '../../../ops/arrangement/reshape.ts';
import { sum } from '../../../ops/reductions/sum.ts';
import { sqrt, square } from '../../../ops/elementwise/unary.ts';
import { moments } from '../../../ops/reductions/variance.ts';
import { where } from '../../../ops/elementwise/where.ts';
import { tidy } from '../../../tensor/scope.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { epsilon as smallest } from '../../epsilon.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import { fraction } from '../base/randomOptions.ts';
import { requireSize } from '../base/inputSpec.ts';
import type { Option } from '../../options/option.ts';
import { corrected, type RenormClipping, requireClipping, stddevOf } from './renormalization.ts';
import { type CallOptions, checked, factoryOf, flag, initializer, layer } from '../base/declare.ts';

export interface BatchNormalizationOptions extends ScaledNormalizationOptions {
  /** The axis of the channels, which keep their own statistics. Default -1. */
  axis?: number;
  /** How much of the moving averages is kept at each step, from 0 to 1. Default 0.99. */
  momentum?: number;
  /** Initial values of the moving mean. Default 'zeros'. */
  movingMeanInitializer?: InitializerLike;
  /** Initial values of the moving variance. Default 'ones'. */
  movingVarianceInitializer?: InitializerLike;
  /** Whether all devices share the moments. Kept for files: a model runs on one device, so they always do. Default false. */
  synchronized?: boolean;
  /** Whether moving averages correct the moments of a batch in training: batch renormalization. Default false. */
  renorm?: boolean;
  /** Limits of that correction. Default: none. */
  renormClipping?: RenormClipping | null;
  /** How much of the averages that correct is kept at each step, from 0 to 1. Default 0.99. */
  renormMomentum?: number;
}

export class BatchNormalization extends /* @__PURE__ */ layer<BatchNormalizationOptions, ScaledNormalization>(
  'BatchNormalization',
  () => ({
    axis: channelAxis(),
    momentum: fraction(0.99),
    ...scaleTable(),
    movingMeanInitializer: initializer('zeros'),
    movingVarianceInitializer: initializer('ones'),
    synchronized: flag(false),
    renorm: flag(false),
    renormClipping: { read: (given, { op, values }) => clippingOf(op, values.renorm === true, given) },
    renormMomentum: fraction(0.99),
  }),
  ScaledNormalization,
) {
  /** @internal */
  override readonly takesMask: boolean = true;
  movingMean: Variable | null = null;
  movingVariance: Variable | null = null;
  movingStddev: Variable | null = null;
  renormMean: Variable | null = null;
  renormStddev: Variable | null = null;

  override build(inputShape: OpenShape): void {
    const rank = inputShape.length;
    const axis = normalizeAxis(this.name, this.axis, rank);
    const channels = requireSize(this.name, inputShape, axis);
    const shape = [channels];
    this.addScale(shape);
    const moving = { shape, trainable: false };
    this.movingMean = this.addWeight('moving_mean', { ...moving, ...this.weightRules('movingMean') });
    this.movingVariance = this.addWeight('moving_variance', {
      ...moving,
      ...this.weightRules('movingVariance'),
    });
    if (this.renorm) this.#addRenormalization(moving);
    this.inputSpec = [{ rank, axes: { [axis]: channels } }];
  }

  #addRenormalization(moving: { readonly shape: Shape; readonly trainable: boolean }): void {
    const mean = { ...moving, initializer: this.weightRules('movingMean').initializer };
    const variance = this.weightRules('movingVariance').initializer;
    const root = (shape: Shape, dtype: DType) => sqrt(variance.call(shape, dtype));
    const stddev = { ...moving, initializer: root };
    this.movingStddev = this.addWeight('moving_stddev', stddev);
    this.renormMean = this.addWeight('renorm_mean', mean);
    this.renormStddev = this.addWeight('renorm_stddev', stddev);
  }

  override call(x: Tensor, { training = false, mask }: CallOptions): Tensor {
    const { axis, epsilon, gamma, beta } = this;
    // A frozen layer uses its moving statistics in training, too.
    if (!training || !this.trainable) {
      return batchNorm(x, this.movingMean as Tensor, this.movingVariance as Tensor, gamma, beta, {
        axis,
        epsilon,
      });
    }
    if (!mask && !this.renorm) {
      const [y, mean, variance] = batchNormTrain(x, gamma, beta, { axis, epsilon }) as [
        Tensor,
        Tensor,
        Tensor,
      ];
      this.#remember(mean, variance);
      return y;
    }
    const [mean, variance] = mask
      ? this.#maskedMoments(x, mask as Tensor)
      : moments(x, { axis: this.#otherAxes(x) });
    const { renormMean, renormStddev, renormClipping } = this;
    const scale =
      renormMean && renormStddev
        ? corrected(this, { mean, variance, renormMean, renormStddev, epsilon }, renormClipping ?? {})
        : this;
    this.#remember(mean, variance);
    return batchNorm(x, mean, variance, scale.gamma, scale.beta, { axis, epsilon });
  }

  #otherAxes(x: Tensor): number[] {
    const rank = x.shape.length;
    const channelAxis = normalizeAxis(this.name, this.axis, rank);
    return x.shape.map((_, i) => i).filter((i) => i !== channelAxis);
  }

  /** The moments of the unmasked steps, [channels]. */
  #maskedMoments(x: Tensor, mask: Tensor): [mean: Tensor, variance: Tensor] {
    const rank = x.shape.length;
    if (mask.shape.length !== rank - 1) {
      throw new ShapeError({
        op: this.name,
        rule: 'a mask has one axis less than the input.',
        received: `mask ${formatSpec(mask)} for ${formatSpec(x)}`,
        hint: 'mask whole steps, not single channels.',
      });
    }
    const channelAxis = normalizeAxis(this.name, this.axis, rank);
    const over = { axis: this.#otherAxes(x), keepDims: true };
    const isShown = expandDims(cast(mask, 'bool'), { axis: -1 });
    // Where channels aren't the last axis, each step has several values of a channel.
    const valuesPerStep = channelAxis === rank - 1 ? 1 : (x.shape[rank - 1] as number);
    const count = add(mul(sum(cast(isShown, 'float32'), over), valuesPerStep), smallest);
    const mean = div(sum(where(isShown, x, 0), over), count);
    const variance = div(sum(square(where(isShown, sub(x, mean), 0)), over), count);
    const channels = { shape: [x.shape[channelAxis] as number] };
    return [reshape(mean, channels), reshape(variance, channels)];
  }

  #remember(mean: Tensor, variance: Tensor): void {
    if (isSymbolic(mean)) return;
    unrecorded(() =>
      tidy(() => {
        average(this.movingMean as Variable, mean, this.momentum);
        if (this.renorm) this.#rememberDeviation(mean, variance);
        else average(this.movingVariance as Variable, variance, this.momentum);
      }),
    );
  }

  /** Renormalization averages standard deviations, from which the moving variance follows. */
  #rememberDeviation(mean: Tensor, variance: Tensor): void {
    const { epsilon, momentum, renormMomentum } = this;
    const stddev = stddevOf(variance, epsilon);
    average(this.renormMean as Variable, mean, renormMomentum);
    average(this.renormStddev as Variable, stddev, renormMomentum);
    const moving = average(this.movingStddev as Variable, stddev, momentum);
    (this.movingVariance as Variable).assign(relu(sub(square(moving), epsilon)));
  }
}

/** The axis of the channels, by default the last. */
export function channelAxis(): Option<number> {
  return checked((op, what, axis: unknown) => {
    if (Number.isInteger(axis)) return;
    throw new ValueError({
      op,
      rule: `\`${what}\` is an integer.`,
      received: `${what}: ${describe(axis)}`,
      hint: 'pass -1 where channels are the last axis.',
    });
  }, -1);
}

/** Moves an average towards `seen`, and returns its new value. */
function average(moving: Variable, seen: Tensor, momentum: number): Tensor {
  const value = add(mul(moving, momentum), mul(seen, 1 - momentum));
  moving.assign(value);
  return value;
}

function clippingOf(op: string, renorm: boolean, clipping: unknown = null): RenormClipping | null {
  if (!renorm) {
    if (clipping === null) return null;
    throw new ValueError({
      op,
      rule: '`renormClipping` limits what `renorm` does.',
      received: `renormClipping: ${describe(clipping)}, renorm: false`,
      hint: 'pass renorm: true, or leave `renormClipping` out.',
    });
  }
  // As Keras writes it.
  if (clipping === null) return {};
  requireClipping(op, clipping);
  return { ...clipping };
}

/**
 * (x - mean) / √(variance + epsilon) · gamma + beta for each channel. In training, with the moments of the batch, which
 * update the moving averages: moving = moving · momentum + moment · (1 - momentum). Otherwise, and where `trainable` is
 * false, with the moving averages. Masked steps don't count in the moments. `renorm` corrects them by averages of their own. Shape: that of the input. float32. Weights:
 * gamma, beta, moving_mean, moving_variance, all [channels]; the latter two aren't trained. Ioffe and Szegedy, Batch
 * normalization, 2015.
 * Errors: ValueError for invalid options; ShapeError for an axis that the input lacks, or whose size is open.
 */
export const batchNormalization = /* @__PURE__ */ factoryOf(BatchNormalization, [
  'axis',
  'momentum',
  'epsilon',
]);
