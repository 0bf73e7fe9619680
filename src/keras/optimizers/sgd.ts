/** @file Stochastic gradient descent. */
import { sgdStep } from '../../kernels/optimizers/optimizerRules.ts';
import { FusedOptimizer } from './fusedOptimizer.ts';
import { factoryOf, flag, fraction, optimizer, type OptimizerOptions } from './declare.ts';

export interface SGDOptions extends OptimizerOptions {
  /** Momentum, in [0, 1]. Default 0. */
  momentum?: number;
  /** Whether to use Nesterov momentum. Default false. */
  nesterov?: boolean;
}

export class SGD extends /* @__PURE__ */ optimizer<SGDOptions, FusedOptimizer>(
  'SGD',
  FusedOptimizer,
  () => ({ momentum: fraction(0), nesterov: flag(false) }),
  { defaults: { learningRate: 0.01 } },
) {
  protected override get states() {
    return this.momentum === 0 ? [] : [[{ name: 'momentum' }]];
  }

  protected override get settings() {
    const { momentum, nesterov } = this;
    const variant = momentum === 0 ? 'plain' : nesterov ? 'nesterov' : 'momentum';
    return { kernel: sgdStep, variant, params: { rate: this.rate, momentum }, reads: 'nothing' } as const;
  }
}

/**
 * Gradient descent, with momentum and Nesterov's form of it. Default learning rate 0.01.
 * Source: Sutskever et al., ICML 2013. Errors: ValueError for options.
 */
export const sgd = /* @__PURE__ */ factoryOf(SGD, ['learningRate', 'momentum', 'nesterov']);
