/** @file Adamax. */
import { adamaxStep } from '../../kernels/optimizers/optimizerRules.ts';
import { AdaptiveOptimizer } from './fusedOptimizer.ts';
import { factoryOf, moments, optimizer, type OptimizerOptions } from './declare.ts';

export interface AdamaxOptions extends OptimizerOptions {
  /** Decay of the running mean of gradients, in [0, 1). Default 0.9. */
  beta1?: number;
  /** Decay of the largest gradient, in [0, 1). Default 0.999. */
  beta2?: number;
  /** Added to the largest gradient. Default 1e-7. */
  epsilon?: number;
}

export class Adamax extends /* @__PURE__ */ optimizer<AdamaxOptions, AdaptiveOptimizer>(
  'Adamax',
  AdaptiveOptimizer,
  () => moments(),
) {
  protected override get states() {
    return [[{ name: 'momentum' }, { name: 'norm' }]];
  }

  protected override get settings() {
    const { beta1, beta2, epsilon } = this;
    const params = { rate: this.rate, momentum_share: 1 - beta1, decay_of_norm: beta2, epsilon };
    return { kernel: adamaxStep, variant: 'plain', params, reads: 'sizes' } as const;
  }

  /** `rate` is the learning rate with the bias correction of the mean. */
  protected override advance(step: number, rate: number): void {
    this.rate.value = rate / (1 - this.beta1 ** step);
  }
}

/**
 * Adam with the decaying maximum of gradients instead of their mean square. Default learning rate 0.001.
 * Source: Kingma and Ba, ICLR 2015, section 7.1. Errors: ValueError for options.
 */
export const adamax = /* @__PURE__ */ factoryOf(Adamax, ['learningRate', 'beta1', 'beta2', 'epsilon']);
