/** @file Adagrad. */
import { adagradStep } from '../../kernels/optimizers/optimizerRules.ts';
import { AdaptiveOptimizer } from './fusedOptimizer.ts';
import { factoryOf, notNegative, optimizer, type OptimizerOptions } from './declare.ts';

export interface AdagradOptions extends OptimizerOptions {
  /** Initial value of the sums of squared gradients. Default 0.1. */
  initialAccumulatorValue?: number;
  /** Added to the sum inside the root. Default 1e-7. */
  epsilon?: number;
}

export class Adagrad extends /* @__PURE__ */ optimizer<AdagradOptions, AdaptiveOptimizer>(
  'Adagrad',
  AdaptiveOptimizer,
  () => ({ initialAccumulatorValue: notNegative(0.1), epsilon: notNegative(1e-7) }),
) {
  protected override get states() {
    return [[{ name: 'accumulator', initial: this.initialAccumulatorValue }]];
  }

  protected override get settings() {
    return { kernel: adagradStep, variant: 'plain', params: { rate: this.rate, epsilon: this.epsilon } };
  }
}

/**
 * Gradients divided by the root of the sum of their squares so far. Default learning rate 0.001.
 * Source: Duchi, Hazan and Singer, JMLR 2011. Errors: ValueError for options.
 */
export const adagrad = /* @__PURE__ */ factoryOf(Adagrad, [
  'learningRate',
  'initialAccumulatorValue',
  'epsilon',
]);
