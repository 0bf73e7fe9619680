/** @file The base of batch, layer and group normalization: `gamma`, `beta` and `epsilon`. */
import type { Shape } from '../../../core/shape.ts';
import { requireEpsilon } from '../../../ops/normalization/normalization.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { InitializerLike } from '../../initializers/index.ts';
import type { Option } from '../../options/option.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import { checked, flag, Layer, type LayerOptions, weights } from '../base/declare.ts';

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

export interface ScaledNormalizationOptions extends LayerOptions, ScaleOptions {
  /** Added to the variance. Default 1e-3. */
  epsilon?: number;
}

/** The number that is added to a variance. */
export const addend = (fallback: number): Option<number> =>
  checked((op, _, value: unknown) => requireEpsilon(op, value as number), fallback);

export const scaleTable = () => ({
  epsilon: addend(1e-3),
  center: flag(true),
  scale: flag(true),
  ...weights({ beta: 'zeros', gamma: 'ones' }),
});

export abstract class ScaledNormalization extends Layer {
  override readonly supportsMasking: boolean = true;
  gamma: Variable | null = null;
  beta: Variable | null = null;
  declare readonly epsilon: number;
  declare readonly center: boolean;
  declare readonly scale: boolean;

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  protected addScale(shape: Shape): void {
    if (this.scale) this.gamma = this.addWeight('gamma', { shape, ...this.weightRules('gamma') });
    if (this.center) this.beta = this.addWeight('beta', { shape, ...this.weightRules('beta') });
  }
}
