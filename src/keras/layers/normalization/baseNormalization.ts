/** @file The base of batch, layer and group normalization: `gamma`, `beta` and `epsilon`. */
import type { OptionNames } from '../../../core/options.ts';
import { requireBoolean, type Shape } from '../../../core/shape.ts';
import { requireEpsilon } from '../../../ops/normalization.ts';
import type { Variable } from '../../../tensor/variable.ts';
import { Layer, type LayerOptions } from '../base/layer.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import { type WeightRules, weightRules } from '../base/weightRules.ts';

/** Options of `gamma` and `beta`. */
export interface ScaleOptions {
  /** Whether `beta` is added. Default true. */
  center?: boolean;
  /** Whether the result is multiplied by a weight, `gamma`. Default true. */
  scale?: boolean;
  /** Initial values of `beta`. Default 'zeros'. */
  betaInitializer?: InitializerLike;
  /** Initial values of `gamma`. Default 'ones'. */
  gammaInitializer?: InitializerLike;
  /** Penalty on `beta`, added to the loss. Default: none. */
  betaRegularizer?: RegularizerLike | null;
  /** Penalty on `gamma`, added to the loss. Default: none. */
  gammaRegularizer?: RegularizerLike | null;
  /** Applied to `beta` after each step. Default: none. */
  betaConstraint?: ConstraintLike | null;
  /** Applied to `gamma` after each step. Default: none. */
  gammaConstraint?: ConstraintLike | null;
}

export const scaleOptionNames: OptionNames<ScaleOptions> = {
  center: false,
  scale: false,
  betaInitializer: false,
  gammaInitializer: false,
  betaRegularizer: false,
  gammaRegularizer: false,
  betaConstraint: false,
  gammaConstraint: false,
};

export interface ScaledNormalizationOptions extends LayerOptions, ScaleOptions {
  /** Added to the variance. Default 1e-3. */
  epsilon?: number;
}

export abstract class ScaledNormalization extends Layer {
  override readonly supportsMasking: boolean = true;
  gamma: Variable | null = null;
  beta: Variable | null = null;
  readonly epsilon: number;
  readonly center: boolean;
  readonly scale: boolean;
  protected readonly scaleRules: { readonly beta: WeightRules; readonly gamma: WeightRules };

  constructor(options: ScaledNormalizationOptions = {}) {
    super(options);
    const { epsilon = 1e-3, center = true, scale = true } = options;
    requireEpsilon(this.name, epsilon);
    requireBoolean(this.name, 'center', center);
    requireBoolean(this.name, 'scale', scale);
    this.epsilon = epsilon;
    this.center = center;
    this.scale = scale;
    this.scaleRules = {
      beta: weightRules(options, 'beta', 'zeros'),
      gamma: weightRules(options, 'gamma', 'ones'),
    };
  }

  protected addScale(shape: Shape): void {
    if (this.scale) this.gamma = this.addWeight('gamma', { shape, ...this.scaleRules.gamma });
    if (this.center) this.beta = this.addWeight('beta', { shape, ...this.scaleRules.beta });
  }
}
