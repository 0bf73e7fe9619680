/** @file Adadelta. */
import { adadeltaStep } from '../../kernels/optimizers/optimizerRules.ts';
import { AdaptiveOptimizer } from './fusedOptimizer.ts';
import { factoryOf, notNegative, optimizer, share, type OptimizerOptions } from './declare.ts';

export interface AdadeltaOptions extends OptimizerOptions {
  /** Decay of the running mean squares, in [0, 1). Default 0.95. */
  rho?: number;
  /** Added to the mean squares inside their roots. Default 1e-7. */
  epsilon?: number;
}

export class Adadelta extends /* @__PURE__ */ optimizer<AdadeltaOptions, AdaptiveOptimizer>(
  'Adadelta',
  AdaptiveOptimizer,
  () => ({ rho: share(0.95), epsilon: notNegative(1e-7) }),
) {
  protected override get states() {
    return [[{ name: 'accumulated_grad' }, { name: 'accumulated_delta_var' }]];
  }

  protected override get settings() {
    const { rho, epsilon } = this;
    return {
      kernel: adadeltaStep,
      variant: 'plain',
      params: { rate: this.rate, rho, rest: 1 - rho, epsilon },
    };
  }
}

/**
 * Gradients scaled by the root mean square of moves over that of gradients. Default learning rate 0.001; 1 is the paper's.
 * Source: Zeiler, 2012. Errors: ValueError for options.
 */
export const adadelta = /* @__PURE__ */ factoryOf(Adadelta, ['learningRate', 'rho', 'epsilon']);
