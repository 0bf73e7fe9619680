/** @file Lion. */
import { lionStep } from '../../kernels/optimizers/optimizerRules.ts';
import { FusedOptimizer } from './fusedOptimizer.ts';
import { factoryOf, fraction, optimizer, within, type OptimizerOptions } from './declare.ts';

export interface LionOptions extends OptimizerOptions {
  /** Weight of the momentum in the direction of a step, in (0, 1]. Default 0.9. */
  beta1?: number;
  /** Decay of the momentum, in [0, 1]. Default 0.99. */
  beta2?: number;
}

export class Lion extends /* @__PURE__ */ optimizer<LionOptions, FusedOptimizer>(
  'Lion',
  FusedOptimizer,
  () => ({
    beta1: within('a number in (0, 1]', (n) => n > 0 && n <= 1, 0.9),
    beta2: fraction(0.99),
  }),
) {
  protected override get states() {
    return [[{ name: 'momentum' }]];
  }

  protected override get settings() {
    const { beta1, beta2 } = this;
    const params = { rate: this.rate, beta_1: beta1, rest_1: 1 - beta1, beta_2: beta2, rest_2: 1 - beta2 };
    return { kernel: lionStep, variant: 'plain', params, reads: 'nothing' } as const;
  }
}

/**
 * Steps of one size in the direction of a running mean's sign. Default learning rate 0.001.
 * Source: Chen et al., Symbolic discovery of optimization algorithms, 2023. Errors: ValueError for options.
 */
export const lion = /* @__PURE__ */ factoryOf(Lion, ['learningRate', 'beta1', 'beta2']);
