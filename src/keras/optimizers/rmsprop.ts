/** @file RMSprop. */
import { rmspropStep } from '../../kernels/optimizers/optimizerRules.ts';
import { AdaptiveOptimizer } from './fusedOptimizer.ts';
import {
  factoryOf,
  flag,
  fraction,
  notNegative,
  optimizer,
  share,
  type OptimizerOptions,
} from './declare.ts';

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

export class RMSprop extends /* @__PURE__ */ optimizer<RMSpropOptions, AdaptiveOptimizer>(
  'RMSprop',
  AdaptiveOptimizer,
  () => ({
    rho: share(0.9),
    momentum: fraction(0),
    epsilon: notNegative(1e-7),
    centered: flag(false),
  }),
) {
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
      params: { rate: this.rate, rho, rest: 1 - rho, momentum, epsilon },
    };
  }
}

/**
 * Gradients divided by the root of their running mean square, or of their variance. Default learning rate 0.001.
 * Source: Tieleman and Hinton, lecture 6.5 of Neural networks for machine learning, 2012. Errors: ValueError for options.
 */
export const rmsprop = /* @__PURE__ */ factoryOf(RMSprop, ['learningRate', 'rho', 'momentum', 'epsilon']);
