/** @file BatchNormalization: normalizes channels to mean 0 and variance 1, by the moments of the batch or by moving averages. */
import type { OptionNames, Positions } from '../../../core/options.ts';
import { layerOptionNames, make } from '../base/layerOptions.ts';
import {
  ScaledNormalization,
  type ScaledNormalizationOptions,
  scaleOptionNames,
} from './baseNormalization.ts';
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe, normalizeAxis, type OpenShape } from '../../../core/shape.ts';
import { formatSpec } from '../../../core/spec.ts';
import { add, div, mul, sub } from '../../../ops/arithmetic.ts';
import { batchNorm, batchNormTrain } from '../../../ops/batchNorm.ts';
import { cast } from '../../../ops/cast.ts';
import { expandDims } from '../../../ops/expandDims.ts';
import { isSymbolic, withRecorders } from '../../../ops/recorders.ts';
import { reshape } from '../../../ops/reshape.ts';
import { sum } from '../../../ops/sum.ts';
import { square } from '../../../ops/unary.ts';
import { tidy } from '../../../tensor/scope.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { epsilon as smallest } from '../../epsilon.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { CallOptions } from '../base/layer.ts';
import { requireFraction } from '../base/randomOptions.ts';
import { requireSize } from '../base/inputSpec.ts';
import { rulesConfig, type WeightRules, weightRules } from '../base/weightRules.ts';

/** Options of `batchNormalization`. */
export interface BatchNormalizationOptions extends ScaledNormalizationOptions {
  /** The axis of the channels, which keep their own statistics. Default -1. */
  axis?: number;
  /** How much of the moving averages is kept at each step, from 0 to 1. Default 0.99. */
  momentum?: number;
  /** Initial values of the moving mean. Default 'zeros'. */
  movingMeanInitializer?: InitializerLike;
  /** Initial values of the moving variance. Default 'ones'. */
  movingVarianceInitializer?: InitializerLike;
  /** Must be false: a model runs on one device. */
  synchronized?: boolean;
  /** Must be false: batch renormalization is not supported yet. */
  renorm?: boolean;
  /** Must be null, as `renorm` must be false. */
  renormClipping?: null;
  /** Momentum of batch renormalization. It is kept for files and has no effect. Default 0.99. */
  renormMomentum?: number;
}

/** The class of layers created by `batchNormalization`, which documents shapes, weights and errors. */
export class BatchNormalization extends ScaledNormalization {
  static override readonly className: string = 'BatchNormalization';

  static override get optionNames(): OptionNames<BatchNormalizationOptions> {
    return {
      axis: true,
      momentum: true,
      epsilon: true,
      ...scaleOptionNames,
      movingMeanInitializer: false,
      movingVarianceInitializer: false,
      synchronized: false,
      renorm: false,
      renormClipping: false,
      renormMomentum: false,
      ...layerOptionNames,
    };
  }

  override readonly takesMask: boolean = true;
  movingMean: Variable | null = null;
  movingVariance: Variable | null = null;
  readonly axis: number;
  readonly momentum: number;
  readonly renormMomentum: number;
  readonly #movingRules: { readonly movingMean: WeightRules; readonly movingVariance: WeightRules };

  constructor(options: BatchNormalizationOptions = {}) {
    super(options);
    const { axis = -1, momentum = 0.99, renormMomentum = 0.99 } = options;
    requireWholeAxis(this.name, axis);
    requireFraction(this.name, 'momentum', momentum);
    requireFraction(this.name, 'renormMomentum', renormMomentum);
    requireAbsent(this.name, 'synchronized', options.synchronized);
    requireAbsent(this.name, 'renorm', options.renorm);
    requireAbsent(this.name, 'renormClipping', options.renormClipping);
    this.axis = axis;
    this.momentum = momentum;
    this.renormMomentum = renormMomentum;
    this.#movingRules = {
      movingMean: weightRules(options, 'movingMean', 'zeros'),
      movingVariance: weightRules(options, 'movingVariance', 'ones'),
    };
  }

  override build(inputShape: OpenShape): void {
    const rank = inputShape.length;
    const axis = normalizeAxis(this.name, this.axis, rank);
    const channels = requireSize(this.name, inputShape, axis);
    const shape = [channels];
    this.addScale(shape);
    const moving = { shape, trainable: false };
    this.movingMean = this.addWeight('moving_mean', { ...moving, ...this.#movingRules.movingMean });
    this.movingVariance = this.addWeight('moving_variance', {
      ...moving,
      ...this.#movingRules.movingVariance,
    });
    this.inputSpec = [{ rank, axes: { [axis]: channels } }];
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
    if (mask) return this.#normalizeMasked(x, mask as Tensor);
    const [y, mean, variance] = batchNormTrain(x, gamma, beta, { axis, epsilon }) as [Tensor, Tensor, Tensor];
    this.#remember(mean, variance);
    return y;
  }

  /** Normalizes by the moments of the unmasked steps. */
  #normalizeMasked(x: Tensor, mask: Tensor): Tensor {
    const { axis, epsilon, gamma, beta } = this;
    const rank = x.shape.length;
    if (mask.shape.length !== rank - 1) {
      throw new ShapeError({
        op: this.name,
        rule: 'a mask has one axis less than the input.',
        received: `mask ${formatSpec(mask)} for ${formatSpec(x)}`,
        hint: 'mask whole steps, not single channels.',
      });
    }
    const channelAxis = normalizeAxis(this.name, axis, rank);
    const axes = x.shape.map((_, i) => i).filter((i) => i !== channelAxis);
    const over = { axis: axes, keepDims: true };
    const weights = expandDims(cast(mask, 'float32'), { axis: -1 });
    const count = add(sum(weights, over), smallest);
    const shown = mul(x, weights);
    const mean = div(sum(shown, over), count);
    const variance = div(sum(mul(square(sub(shown, mean)), weights), over), count);
    const channels = { shape: [x.shape[channelAxis] as number] };
    const [flatMean, flatVariance] = [reshape(mean, channels), reshape(variance, channels)];
    this.#remember(flatMean, flatVariance);
    return batchNorm(x, flatMean, flatVariance, gamma, beta, { axis, epsilon });
  }

  #remember(mean: Tensor, variance: Tensor): void {
    if (isSymbolic(mean)) return;
    const { momentum } = this;
    const moved = (moving: Variable, seen: Tensor) => {
      const value = add(mul(moving, momentum), mul(seen, 1 - momentum));
      moving.assign(value);
    };
    withRecorders([], () =>
      tidy(() => {
        moved(this.movingMean as Variable, mean);
        moved(this.movingVariance as Variable, variance);
      }),
    );
  }

  override getConfig(): Record<string, unknown> {
    const { axis, momentum, epsilon, center, scale, renormMomentum } = this;
    return {
      ...super.getConfig(),
      axis,
      momentum,
      epsilon,
      center,
      scale,
      ...rulesConfig(this.scaleRules),
      ...initializersOf(rulesConfig(this.#movingRules)),
      synchronized: false,
      renorm: false,
      renormClipping: null,
      renormMomentum,
    };
  }
}

/** The moving averages have neither penalties nor constraints. */
function initializersOf(config: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([option]) => option.endsWith('Initializer')));
}

/** Throws unless `axis` is an integer. */
export function requireWholeAxis(op: string, axis: unknown): asserts axis is number {
  if (Number.isInteger(axis)) return;
  throw new ValueError({
    op,
    rule: '`axis` is an integer.',
    received: `axis: ${describe(axis)}`,
    hint: 'pass -1 where channels are the last axis.',
  });
}

function requireAbsent(op: string, what: string, value: unknown): void {
  if (value === undefined || value === null || value === false) return;
  throw new ValueError({
    op,
    rule: `\`${what}\` is not supported yet.`,
    received: `${what}: ${describe(value)}`,
    hint: 'leave it out.',
  });
}

/**
 * (x - mean) / √(variance + epsilon) · gamma + beta for each channel. In training, with the moments of the batch, which
 * update the moving averages: moving = moving · momentum + moment · (1 - momentum). Otherwise, and where `trainable` is
 * false, with the moving averages. Masked steps don't count in the moments. Shape: that of the input. float32. Weights:
 * gamma, beta, moving_mean, moving_variance, all [channels]; the latter two aren't trained. Ioffe and Szegedy, Batch
 * normalization, 2015.
 * Errors: ValueError for invalid options; ShapeError for an axis that the input lacks, or whose size is open.
 */
export function batchNormalization(options?: BatchNormalizationOptions): BatchNormalization;
export function batchNormalization(
  ...settings: Positions<BatchNormalizationOptions, ['axis', 'momentum', 'epsilon']>
): BatchNormalization;
export function batchNormalization(...args: unknown[]): BatchNormalization {
  return make(BatchNormalization, args);
}
