/** @file Adagrad. */
import { DynamicScalar } from '../../webgpu/params.ts';
import { adagradStep } from '../../kernels/optimizers/optimizerRules.ts';
import { FusedOptimizer } from './fusedOptimizer.ts';
import { factoryOf, notNegative, optimizer, type OptimizerOptions } from './declare.ts';

export interface AdagradOptions extends OptimizerOptions {
  /** Initial value of the sums of squared gradients. Default 0.1. */
  initialAccumulatorValue?: number;
  /** Added to the sum inside the root. Default 1e-7. */
  epsilon?: number;
}

export class Adagrad extends /* @__PURE__ */ optimizer<AdagradOptions, FusedOptimizer>(
  'Adagrad',
  FusedOptimizer,
  () => ({ initialAccumulatorValue: notNegative(0.1), epsilon: notNegative(1e-7) }),
) {
  readonly #rate = new DynamicScalar(0);

  override get readsSlices(): boolean {
    return true;
  }

  protected override get states() {
    return [[{ name: 'accumulator', initial: this.initialAccumulatorValue }]];
  }

  protected override get settings() {
    return { kernel: adagradStep, variant: 'plain', params: { rate: this.#rate, epsilon: this.epsilon } };
  }

  protected override advance(_step: number, rate: number): void {
    this.#rate.value = rate;
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
