/** @file RMSprop. */
import { byPosition, type Settings } from '../../core/options.ts';
import { DynamicScalar } from '../../webgpu/params.ts';
import { rmspropStep } from '../../kernels/optimizerRules.ts';
import { requireBoolean, requireNotNegative, requireNumber, requireShare } from './optionChecks.ts';
import { FusedOptimizer } from './fusedOptimizer.ts';
import type { OptimizerOptions } from './optimizerOptions.ts';

/** Options of `rmsprop`. */
export interface RMSpropOptions extends OptimizerOptions {
  /** Decay of the running mean of squared gradients, in [0, 1). Default 0.9. */
  rho?: number;
  /** Momentum, in [0, 1]. Default 0. */
  momentum?: number;
  /** Added to the mean inside the root. Default 1e-7. */
  epsilon?: number;
  /** Whether to use the variance of gradients instead of their mean square. Default false. */
  centered?: boolean;
}

/** The class of optimizers created by `rmsprop`, which documents options and errors. */
export class RMSprop extends FusedOptimizer {
  static override readonly className: string = 'RMSprop';
  readonly rho: number;
  readonly momentum: number;
  readonly epsilon: number;
  readonly centered: boolean;
  readonly #rate = new DynamicScalar(0);

  constructor(options: RMSpropOptions = {}) {
    super(options, ['rho', 'momentum', 'epsilon', 'centered']);
    const { rho = 0.9, momentum = 0, epsilon = 1e-7, centered = false } = options;
    requireShare(this.name, 'rho', rho);
    requireNumber(this.name, 'momentum', momentum, 'a number in [0, 1]', (n) => n >= 0 && n <= 1);
    requireNotNegative(this.name, 'epsilon', epsilon);
    requireBoolean(this.name, 'centered', centered);
    this.rho = rho;
    this.momentum = momentum;
    this.epsilon = epsilon;
    this.centered = centered;
  }

  override get readsSlices(): boolean {
    return true;
  }

  override getConfig(): Record<string, unknown> {
    const { rho, momentum, epsilon, centered } = this;
    return { ...super.getConfig(), rho, momentum, epsilon, centered };
  }

  protected override get states() {
    return [
      [{ name: 'velocity' }],
      ...(this.momentum > 0 ? [[{ name: 'momentum' }]] : []),
      ...(this.centered ? [[{ name: 'average_gradient' }]] : []),
    ];
  }

  protected override get settings() {
    const { rho, momentum, epsilon, centered } = this;
    const variant = [centered ? 'centered' : 'plain', ...(momentum > 0 ? ['momentum'] : [])].join(' ');
    return {
      kernel: rmspropStep,
      variant,
      params: { rate: this.#rate, rho, rest: 1 - rho, momentum, epsilon },
    };
  }

  protected override advance(_step: number, rate: number): void {
    this.#rate.value = rate;
  }
}

/**
 * Gradients divided by the root of their running mean square, or of their variance. Default learning rate 0.001.
 * Source: Tieleman and Hinton, lecture 6.5 of Neural networks for machine learning, 2012. Errors: ValueError for options.
 */
export function rmsprop(
  ...settings: Settings<RMSpropOptions, ['learningRate', 'rho', 'momentum', 'epsilon']>
): RMSprop;
export function rmsprop(...args: unknown[]): RMSprop {
  return new RMSprop(byPosition('rmsprop', args, ['learningRate', 'rho', 'momentum', 'epsilon']));
}
